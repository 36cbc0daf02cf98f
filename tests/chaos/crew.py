"""The product's processes: the Procfile's worker and scheduler, twice each, and people who keep them busy."""

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from honcho.environ import parse_procfile

from project.demo.child import Child

ROOT = Path(__file__).parents[2]
COPIES = 2


@dataclass
class Crew:
    """All of them, each in a process group of its own.

    Attributes:
        workers: Masters; what works are their children.
        writer: None after its retirement.
    """

    workers: list[Child]
    schedulers: list[Child]
    writer: Child | None

    def revive(self) -> None:
        """Start whoever has ended, as a supervisor does."""
        for child in [*self.workers, *self.schedulers, *filter(None, [self.writer])]:
            if not child.is_running():
                child.start()

    def retire_writer(self) -> None:
        """Let nothing new happen."""
        if self.writer:
            self.writer.stop()
            self.writer = None

    def pids(self) -> list[int]:
        """Processes that do the product's work right now."""
        masters = [psutil.Process(worker.pid) for worker in self.workers if worker.is_running()]
        working = [process.pid for master in masters for process in master.children()]
        return working + [one.pid for one in self.schedulers if one.is_running()]


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may have ended."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


@contextmanager
def at_work(folder: Path, environ: Mapping[str, str], *, seed: str, rate: float) -> Iterator[Crew]:
    """Start everybody; `folder` takes their logs. At the end nobody asks them to stop, they are killed."""
    lines = dict(parse_procfile((ROOT / "Procfile").read_text()).processes)

    def child(name: str, command: list[str | Path]) -> Child:
        return Child(
            name=name,
            command=command,
            environ=environ,
            cwd=ROOT,
            log=folder / f"{name}.log",
            ready=lambda: True,
        )

    def copies(kind: str) -> list[Child]:
        shell = ["/bin/sh", "-c", f"exec {lines[kind]}"]
        return [child(f"{kind}-{number}", shell) for number in range(1, COPIES + 1)]

    workers, schedulers = copies("worker"), copies("scheduler")
    writer = child("writer", [sys.executable, "-m", "django", "write", seed, str(rate)])
    with ExitStack() as stack:
        for one in (*workers, *schedulers, writer):
            one.start()
            stack.callback(one.kill)
        yield Crew(workers, schedulers, writer)
