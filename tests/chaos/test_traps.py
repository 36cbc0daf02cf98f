import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests.chaos.crew import ROOT
from tests.chaos.points import Call, Point
from tests.chaos.traps import Traps

POINT = "halfway"
VICTIM = """
import sys
from pathlib import Path
from tests.chaos.traps import Traps
Traps(Path(sys.argv[1])).reached("halfway", ["a row"])
"""


def walk_by(folder: Path) -> int:
    command = [sys.executable, "-c", VICTIM, str(folder)]
    return subprocess.run(command, cwd=ROOT, timeout=60, check=False).returncode


def test_a_trap_gets_the_first_who_comes_and_nobody_else(tmp_path: Path) -> None:
    traps = Traps(tmp_path)
    assert walk_by(tmp_path) == 0
    traps.set(POINT, signal.SIGKILL)
    assert [walk_by(tmp_path), walk_by(tmp_path)] == [-signal.SIGKILL, 0]
    (sprung,) = traps.sprung()
    assert (sprung.point, sprung.signal, sprung.work) == (POINT, signal.SIGKILL, ["a row"])


def test_a_trap_that_is_taken_back_harms_nobody(tmp_path: Path) -> None:
    traps = Traps(tmp_path)
    traps.set(POINT, signal.SIGKILL)
    assert traps.take_back(POINT)
    assert not traps.take_back(POINT)
    assert walk_by(tmp_path) == 0


def test_a_trap_for_a_row_lets_pass_who_is_at_another(tmp_path: Path) -> None:
    traps = Traps(tmp_path)
    traps.set(POINT, signal.SIGKILL, "another row")
    assert walk_by(tmp_path) == 0
    traps.set(POINT, signal.SIGKILL, "a row")
    assert walk_by(tmp_path) == -signal.SIGKILL


def deed(number: int) -> str:
    return f"did {number}"


@pytest.mark.parametrize(("after", "result"), [(False, None), (True, "did 7")])
def test_a_point_lies_before_or_behind_its_function(monkeypatch, tmp_path, after, result) -> None:
    seen, row = [], str(uuid4())
    monkeypatch.setattr(f"{__name__}.deed", deed)  # so that it is put back
    monkeypatch.setattr(Traps, "reached", lambda _, point, work: seen.append((point, work)))
    traps = Traps(tmp_path)
    traps.set(POINT, signal.SIGKILL)
    calls: list[Call] = []

    def work(call: Call) -> list[str]:
        calls.append(call)
        return [row]

    Point(POINT, f"{__name__}:deed", after, work).lay(traps)
    assert deed(7) == "did 7"
    assert (calls, seen) == ([Call((7,), result)], [(POINT, [row])])
