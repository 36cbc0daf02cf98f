"""A folder of one's own under ``var/``: emptied at the start, kept at the end for whoever wants to look."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO

import project

VAR = Path(project.__file__).parents[1] / "var"


@contextmanager
def own_folder(name: str) -> Iterator[Path]:
    """Give an empty folder ``var/<name>``, or ``var/<name>-2`` … while another copy has that one."""
    VAR.mkdir(exist_ok=True)
    for number in count(1):
        folder = VAR / (name if number == 1 else f"{name}-{number}")
        with folder.with_suffix(".lock").open("w") as lock:
            if _locked(lock):
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                yield folder
                return


def _locked(lock: IO[str]) -> bool:
    # The kernel lets go of it when this process ends, however that comes about.
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
