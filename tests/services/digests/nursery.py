"""Senders that can be killed: real processes, forked in a moment from one that has Django loaded."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from psycopg.conninfo import make_conninfo

from project.mail_server import MailServer
from tests.architecture import ROOT

_CONNINFO = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}


class Nursery:
    """Has one sender at a time. What it says is in `tests.services.digests.sender`."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def fork(self) -> int:
        """Start a sender, which works until nothing is due, and return its pid."""
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def kill(self, pid: int) -> bool:
        """Kill the sender and wait for its end; False if it was at its end by itself."""
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return self.wait() == -signal.SIGKILL

    def wait(self) -> int:
        """Wait for the end of the sender and return its exit code, negative for a signal."""
        return int(self._process.stdout.readline())


@contextmanager
def nursery(server: MailServer, database: Mapping[str, Any]) -> Iterator[Nursery]:
    """Let senders work at the database of the test, whose settings these are, and send to `server`."""
    named = {key: str(database[setting]) for key, setting in _CONNINFO.items() if database[setting]}
    environ = {
        **os.environ,
        "DATABASE_URL": make_conninfo("", **named),
        "DJANGO_SETTINGS_MODULE": "project.settings",
        "EMAIL_URL": f"smtp://{server.host}:{server.port}",
        "MAIL_RECLAIMS": "100",
        "LOG_LEVEL": "ERROR",
    }
    command = [sys.executable, "-m", "tests.services.digests.sender"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, env=environ, text=True, **pipes) as process:
        yield Nursery(process)
        process.stdin.close()
        process.wait(20)
