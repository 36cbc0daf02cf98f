"""The product's own processes, started by the command lines of the Procfile."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from project.demo.child import Child, StartError

COPIES = 2  # of worker and scheduler: one of a worker's dies in the story, and two schedulers are normal


@dataclass(frozen=True)
class Crew:
    """What runs: one web process, several workers and schedulers, and a worker for exports alone."""

    web: Child
    workers: list[Child]
    exports: Child
    schedulers: list[Child]

    @property
    def everybody(self) -> list[Child]:
        """All of them."""
        return [self.web, *self.workers, self.exports, *self.schedulers]

    def check(self) -> None:
        """Raise ``StartError`` if one of them ended although nobody asked it to."""
        for child in self.everybody:
            if not child.is_running():
                raise StartError(child.name, "ended", child.log)


@contextmanager
def at_work(procfile: Path, folder: Path, environ: Mapping[str, str]) -> Iterator[Crew]:
    """Start everybody; `folder` takes their logs. Stop them at the end.

    Raises:
        StartError: if the web process does not answer in time. The others get ready on their own.
    """
    lines = dict(_entries(procfile))
    site = urlsplit(environ["SITE_URL"]).netloc

    def child(kind: str, number: int) -> Child:
        name = f"{kind}-{number}"
        return Child(
            name=name,
            command=["/bin/sh", "-c", f"exec {lines[kind]}"],
            environ=environ,
            log=folder / f"{name}.log",
            ready=lambda: kind != "web" or _answers(site),
            cwd=procfile.parent,
        )

    crew = Crew(
        web=child("web", 1),
        workers=[child("worker", number) for number in range(1, COPIES + 1)],
        exports=child("exports", 1),
        schedulers=[child("scheduler", number) for number in range(1, COPIES + 1)],
    )
    with ExitStack() as stack:
        for process in (*crew.workers, crew.web, *crew.schedulers, crew.exports):
            stack.enter_context(process)
        stack.callback(_ask_all_to_stop, crew)
        yield crew


def _ask_all_to_stop(crew: Crew) -> None:
    """Let them end side by side; each is still stopped for certain afterwards."""
    for child in crew.everybody:
        if child.is_running():
            os.kill(child.pid, child.stop_signal)


def _entries(procfile: Path) -> Iterator[tuple[str, str]]:
    for line in procfile.read_text().splitlines():
        name, _, command = line.partition(":")
        yield name, command.strip()


def _answers(site: str) -> bool:
    connection = HTTPConnection(site, timeout=2)
    try:
        connection.request("GET", "/admin/login/")
        connection.getresponse()
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
    return True
