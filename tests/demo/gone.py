"""Whether processes have ended: a list that is taken while they run, and looked through afterwards."""

import time
from collections.abc import Iterable

import psutil

PATIENCE = 30  # seconds


def descendants(pid: int) -> list[psutil.Process]:
    """All processes below `pid`, however deep."""
    return psutil.Process(pid).children(recursive=True)


def survivors(processes: Iterable[psutil.Process]) -> list[psutil.Process]:
    """Those that still run when patience is at an end."""
    deadline = time.monotonic() + PATIENCE
    left = list(processes)
    while (left := [process for process in left if _runs(process)]) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


def _runs(process: psutil.Process) -> bool:
    try:
        # A zombie has ended; it waits for somebody to ask how.
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
