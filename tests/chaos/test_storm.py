"""A short storm over the whole product; ``make chaos`` lets it blow for longer."""

import re
import secrets
import subprocess
import sys

import pytest

from tests.chaos.crew import ROOT

PATIENCE = 240  # seconds: it takes some forty, and the machine may be busy
STORMS = ("--decks", "everything", "rivals", "--seconds", "6", "--pace", "0.8")


@pytest.mark.timeout(PATIENCE + 10)
def test_a_storm_loses_nothing_and_doubles_nothing() -> None:
    seeds = ["1", secrets.token_hex(4)]  # printed by the run, as its first line
    command = [sys.executable, "-m", "tests.chaos", *STORMS, "--seeds", *seeds]
    run = subprocess.run(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert _figure("all points", run.stdout) > 0, run.stdout
    assert _figure("mails accepted", run.stdout) > 0, run.stdout


def _figure(name: str, output: str) -> int:
    found = re.search(rf"^ *{name} +(\d+)", output, re.MULTILINE)
    assert found, output
    return int(found[1])
