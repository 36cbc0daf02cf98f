"""The harness of the peers counts right, and its kills do what they are there to do."""

import os
import sys
from itertools import repeat
from pathlib import Path
from random import Random

import pytest

from tests import scripted_smtp
from tests.chaos.crew import ROOT
from tests.chaos.peers import race
from tests.chaos.peers.contenders import CONTENDERS, Contender
from tests.chaos.peers.race import Race
from tests.chaos.peers.result import Result, row
from tests.smtp_script import reply, script

MAILS = 40
#: Sends what a file says, and strikes it off: all of it before the first mail, or all of it after the last one.
TOY = """
import signal, sys
from pathlib import Path
from tests.chaos.peers.adapters.letter import post
queue, verb = Path("queue"), sys.argv[1]
if verb == "enqueue":
    queue.write_text(sys.argv[2])
else:
    mails = range(int(queue.read_text()))
    if verb == "forgetful":
        queue.write_text("0")
    for number in mails:
        post(number)
    queue.write_text("0")
    signal.pause()
"""


@pytest.fixture(autouse=True)
def _no_lingering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race, "LINGER", 0.3)


def _run(tmp_path: Path, verb: str, *, kills: int, patience: float = 10) -> Result:
    toy = tmp_path / "toy.py"
    toy.write_text(TOY)
    contender = Contender("toy", (str(toy), "enqueue"), ("python", str(toy), verb))
    slowly = script(dot=repeat(reply("250 2.0.0 queued", after=0.02)))  # so that kills come in the middle
    with scripted_smtp.running(slowly) as smtp:
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "SMTP_PORT": str(smtp.server_address[1])}
        programs = Path(sys.executable).parent
        run = Race(contender, smtp, environ, folder=tmp_path, programs=programs).run
        return run(Random(1), mails=MAILS, kills=kills, patience=patience)


def test_arrivals_are_counted() -> None:
    counted = Result.of(["a", "b", "b", "c", "b", "c"], mails=5, kills=7, seconds=9.0)
    assert counted == Result(kills=7, missing=2, doubled=2, copies=3, seconds=9.0)
    assert not counted.is_perfect


@pytest.mark.parametrize(
    ("arrivals", "perfect"), [(["a", "b"], True), (["a"], False), (["a", "b", "b"], False), ([], False)]
)
def test_perfect_is_each_mail_once(arrivals: list[str], perfect: bool) -> None:
    assert Result.of(arrivals, mails=2, kills=0, seconds=1.0).is_perfect is perfect


def test_who_does_not_work_undisturbed_gets_no_row_and_is_not_killed() -> None:
    calm = Result.of(["a"], mails=2, kills=0, seconds=1.0)
    assert row("x", calm, lambda: pytest.fail("killed")) == "x: without a kill 1 missing, 0 doubled; no row"


@pytest.mark.parametrize("verb", ["forgetful", "repetitive"])
def test_without_kills_all_is_well(tmp_path: Path, verb: str) -> None:
    assert _run(tmp_path, verb, kills=0).is_perfect


def test_who_strikes_off_first_misses_mails_and_doubles_none(tmp_path: Path) -> None:
    result = _run(tmp_path, "forgetful", kills=2, patience=3)
    assert (result.kills, result.doubled, result.copies) == (1, 0, 0)  # nothing is under way after the first
    assert 0 < result.missing < MAILS


def test_who_strikes_off_last_misses_none_and_doubles_some(tmp_path: Path) -> None:
    result = _run(tmp_path, "repetitive", kills=2)
    assert (result.kills > 0, result.missing) == (True, 0)
    assert 0 < result.doubled <= result.copies


def test_no_two_contenders_have_the_same_name() -> None:
    assert len({contender.name for contender in CONTENDERS}) == len(CONTENDERS)
