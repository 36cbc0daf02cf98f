"""Traps: a process that reaches a certain point of the code dies or freezes there, once.

Harness and victims share nothing but a folder. To set a trap is to make the file `set/<point>`, which says by
which signal, and perhaps for whom. Whoever reaches the point first gets the file, since a rename succeeds once;
it notes in `sprung.jsonl` what it was at, and sends itself the signal.
"""

import json
import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import uuid4


@dataclass(frozen=True)
class Sprung:
    """A trap that got somebody.

    Attributes:
        point: Where.
        signal: SIGKILL or SIGSTOP.
        pid: Whom.
        at: When, in seconds since 1970.
        work: Ids of the rows that it was at.
    """

    point: str
    signal: int
    pid: int
    at: float
    work: list[str]


class Traps:
    """The traps in one folder."""

    def __init__(self, folder: Path) -> None:
        self._set = folder / "set"
        self._set.mkdir(exist_ok=True)
        self._sprung = folder / "sprung.jsonl"

    def set(self, point: str, number: signal.Signals, row: str = "") -> None:
        """Let the next one at `point` get this signal; with a `row`, only one that is at this row."""
        whole = self._set.with_name(uuid4().hex)
        whole.write_text(f"{number.value} {row}")
        whole.rename(self._set / point)

    def take_back(self, point: str) -> bool:
        """Remove a trap; False if somebody ran into it before."""
        with suppress(FileNotFoundError):
            (self._set / point).unlink()
            return True
        return False

    def is_set(self, point: str) -> bool:
        """Whether nobody ran into it so far."""
        return (self._set / point).exists()

    def sprung(self) -> list[Sprung]:
        """Return all that went off, in order."""
        if not self._sprung.exists():
            return []
        return [Sprung(**json.loads(line)) for line in self._sprung.read_text().splitlines()]

    def reached(self, point: str, work: Sequence[str]) -> None:
        """Called by the victims: this process is at `point` with `work` in its hands."""
        mine = self._set.with_name(uuid4().hex)
        with suppress(FileNotFoundError):
            number, _, row = (self._set / point).read_text().partition(" ")
            if row and row not in work:
                return
            (self._set / point).rename(mine)
            mine.unlink()
            self._spring(Sprung(point, int(number), os.getpid(), time.time(), list(work)))

    def _spring(self, sprung: Sprung) -> None:
        with self._sprung.open("a") as notes:
            notes.write(json.dumps(asdict(sprung)) + "\n")
        os.kill(sprung.pid, sprung.signal)
