"""Senders that can be killed: real processes, forked in a moment from one that has Django loaded.

As a program, ``python -m tests.services.digests.nursery HOST:PORT`` reads a line for each sender it is to fork
and answers with its pid; when the sender is gone, it says so with another line.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from uuid import uuid4

import django
from django.conf import settings
from psycopg.conninfo import make_conninfo

from project.mail_server import MailServer
from tests.architecture import ROOT


class Nursery:
    """The client's side."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def fork(self) -> int:
        """Start a sender, which works until nothing is due; only one at a time. Returns its pid."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def kill(self, pid: int) -> bool:
        """Kill the sender and wait for its end; False if it had ended by itself."""
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return self.wait() == -signal.SIGKILL

    def wait(self) -> int:
        """Wait for the end of the sender; returns its exit code, negative for a signal."""
        return int(self._process.stdout.readline())


@contextmanager
def nursery(server: MailServer, database: dict[str, object]) -> Iterator[Nursery]:
    """Run it against the database of the test."""
    keys = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
    url = make_conninfo("", **{ours: str(database[theirs]) for ours, theirs in keys.items() if database[theirs]})
    process = subprocess.Popen(
        [sys.executable, "-m", __name__, f"smtp://{server.host}:{server.port}"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": url, "LOG_LEVEL": "ERROR", "DJANGO_SETTINGS_MODULE": "project.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Nursery(process)
    finally:
        process.communicate(timeout=20)


def main(url: str) -> None:
    django.setup()
    from tests.services.digests import nursery  # noqa: F401, PLC0415

    for _ in sys.stdin:
        pid = os.fork()
        if not pid:
            work(url)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def work(url: str) -> None:
    from project.models import DigestStatus, EmailDigest
    ...
