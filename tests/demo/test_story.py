import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from tests.demo.gone import survivors

ROOT = Path(__file__).parents[2]
PATIENCE = 210  # seconds


@contextmanager
def demo() -> Iterator[subprocess.Popen[str]]:
    # A session of its own, which all its children stay in: that is how they are found afterwards.
    command = [sys.executable, "-m", "project.demo"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def members_of(session: int) -> list[psutil.Process]:
    members = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError):
            if os.getsid(process.pid) == session:
                members.append(process)
    return members


@pytest.mark.timeout(PATIENCE + 10)
def test_the_story_ends_well_and_leaves_nothing_behind() -> None:
    with demo() as process:
        output, _ = process.communicate(timeout=PATIENCE)

    assert process.returncode == 0, output
    figures = {name.strip(): int(number) for name, number in re.findall(r"^  (.+?)  +(\d+)\b", output, re.M)}
    assert figures["duplicates"] == figures["lost"] == figures["unexplained"] == 0
    assert figures["mails that arrived"] > 10
    assert figures["half-sent mails"] > 0
    assert "nothing is broken" in output
    assert survivors(members_of(process.pid)) == []


def test_an_interrupted_story_leaves_nothing_behind() -> None:
    with demo() as process:
        assert process.stdout
        next(line for line in process.stdout if "two schedulers" in line)
        assert len(members_of(process.pid)) > 8

        process.send_signal(signal.SIGTERM)

        output, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, output
    assert survivors(members_of(process.pid)) == []
