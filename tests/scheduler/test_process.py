"""The scheduler as a process."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from project.demo.ports import HOST, free_port
from tests.architecture import ROOT
from tests.queue.conftest import eventually

PATIENCE = 20  # seconds
#: A schedule with an entry that periodiq would never run.
UNSOUND = """
import django, runpy
django.setup()
import scheduler.schedule as table
table.SCHEDULE += (table.Entry(table.sweep, "@weekly", "test"),)
runpy.run_module("scheduler", run_name="__main__", alter_sys=True)
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python to its end."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@contextmanager
def scheduler(log: Path, **environ: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run the scheduler until it has begun to send ticks; kill it at the end."""
    with (
        log.open("wb") as output,
        subprocess.Popen(
            [sys.executable, "-m", "scheduler"], cwd=ROOT, env=os.environ | environ, stderr=output
        ) as process,
    ):
        try:
            eventually(lambda: "as their cron lines say" in log.read_text(), PATIENCE)
            yield process
        finally:
            process.kill()


def test_a_check_does_not_need_any_server() -> None:
    nowhere = f"redis://{HOST}:{free_port()}/0"
    code = f"import os, runpy; os.environ['REDIS_URL'] = {nowhere!r}"
    checked = run("-c", f"{code}; runpy.run_module('scheduler', run_name='__main__')", "--check")
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("arguments", [[], ["--check"]])
def test_an_unsound_schedule_is_refused(arguments: list[str]) -> None:
    refused = run("-c", UNSOUND, *arguments)
    assert refused.returncode == 1
    assert refused.stderr.startswith(
        "The schedule is refused.\nsweep, '@weekly': periodiq does not run it on"
    )


@pytest.mark.parametrize("tick", ["1", "60"])
def test_sigterm_ends_it_at_once_with_success(tmp_path: Path, tick: str) -> None:
    with scheduler(tmp_path / "log", TICK=tick) as process:
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 0
    assert "Traceback" not in (tmp_path / "log").read_text()


def test_it_outlives_a_redis_that_is_away_and_ends_all_the_same(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with scheduler(log, TICK="1", REDIS_URL=f"redis://{HOST}:{free_port()}/0") as process:
        eventually(lambda: log.read_text().count("tick of sweep") >= 2, PATIENCE)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 0
