"""The Procfile's workers and schedulers, on the tables and the Redis of the test, with ticks of a second."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from django.db import connection
from honcho.environ import parse_procfile

from project.demo.child import Child
from project.demo.patience import wait_for
from tests.architecture import ROOT

START = 60  # seconds
#: The relations between the limits are the usual ones.
HURRIED = {
    "WINDOW_MENTION": "1",
    "WINDOW_IDLE": "1",
    "WINDOW_CAP": "3",
    "WINDOW_GAP": "1",
    "TICK": "1",
    "HEARTBEAT_TIMEOUT": "4",
    "LEASE": "2",
    "LEASE_RENEWAL": "0.5",
    "MAINTENANCE_EVERY": "1",
    "RECOVERY_BUDGET": "8",
    "REDIS_TIMEOUT": "1",
    "RETRY_MIN_BACKOFF": "0.5",
    "RETRY_MAX_BACKOFF": "2",
    "OVERDUE": "12",
    "WORKER_PROCESSES": "1",
    "WORKER_THREADS": "4",
}
READY = {"worker": "ready for action", "exports": "ready for action", "scheduler": "as their cron lines say"}
PROCFILE = dict(parse_procfile((ROOT / "Procfile").read_text()).processes)


@dataclass
class Crew:
    """Processes by and by; `folder` takes their logs."""

    folder: Path
    environ: Mapping[str, str]
    everybody: list[Child] = field(default_factory=list)

    def start(self, *kinds: str) -> list[Child]:
        """Start one process of each of these kinds, side by side, and wait until all of them are at work."""
        started = [self._child(kind) for kind in kinds]
        for child in started:
            child.start()
        for child, kind in zip(started, kinds, strict=True):
            wait_for(
                child.name, lambda log=child.log, kind=kind: READY[kind] in log.read_text(), seconds=START
            )
        return started

    def kill(self) -> None:
        """End all of them at once."""
        for child in self.everybody:
            child.kill()

    def _child(self, kind: str) -> Child:
        name = f"{kind}-{len(self.everybody)}"
        child = Child(
            name=name,
            command=["/bin/sh", "-c", f"exec {PROCFILE[kind]}"],
            environ=self.environ,
            cwd=ROOT,
            log=self.folder / f"{name}.log",
            ready=lambda: True,
            stop_timeout=20,
        )
        self.everybody.append(child)
        return child


@contextmanager
def at_work(folder: Path, email_url: str, **changes: str) -> Iterator[Crew]:
    """Give a crew that is empty at first; end it at the end."""
    surroundings = {
        **os.environ,
        **HURRIED,
        "PATH": f"{Path(sys.executable).parent}:{os.defpath}",
        "DATABASE_URL": _test_database(),
        "EMAIL_URL": email_url,
        **changes,
    }
    crew = Crew(folder, surroundings)
    try:
        yield crew
    finally:
        crew.kill()


def _test_database() -> str:
    names = ("USER", "PASSWORD", "HOST", "PORT", "NAME")
    user, password, host, port, name = (quote(str(connection.settings_dict[key]), safe="") for key in names)
    return f"postgresql://{user}:{password}@{host}:{port}/{name}"
