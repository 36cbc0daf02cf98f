"""A child process that is started until ready, stopped for certain, and does not outlive its parent."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from project.demo.tether import User, tethered

POLL = 0.02  # seconds between two looks at a child that is starting
LOG_TAIL = 10  # lines of its log that explain a failed start


class StartError(RuntimeError):
    """A process ended early, or was not ready in time; the message has the end of its log."""

    def __init__(self, name: str, what: str, log: Path) -> None:
        tail = log.read_text(errors="replace").splitlines()[-LOG_TAIL:]
        super().__init__("\n    ".join([f"{name} {what}; the end of {log}:", *tail]))


@dataclass(kw_only=True)
class Child:
    """A process and what it forks: a process group of its own, in the session of the parent.

    So Ctrl-C in a terminal reaches the parent alone, which stops its children in order. When the parent
    dies without having done so, the kernel sends `stop_signal` instead (see ``tether.py``). As that hangs on
    the *thread* which called `start`, start children in one that lasts: the main thread.

    As a context manager it is started on entry and stopped on exit. After its end it may be started again.

    Attributes:
        name: What messages call it.
        command: Absolute path of the program, and its arguments.
        log: File that its output is appended to.
        ready: Whether it does its work by now; asked repeatedly during the start, so it must answer soon.
        environ: Its whole environment; by default the parent's.
        cwd: Its working directory; by default the parent's.
        user: What it runs as; another user than the present one takes root.
        stop_signal: Asks the process to end, and to end what it forked.
        kill_signal: Ends it at once. Not SIGKILL only if that would leave processes outside the group behind.
        start_timeout: Seconds in which it must become ready.
        stop_timeout: Seconds between one of these signals and SIGKILL for the whole group.
    """

    name: str
    command: Sequence[str | Path]
    log: Path
    ready: Callable[[], bool]
    environ: Mapping[str, str] | None = None
    cwd: Path | None = None
    user: User = field(default_factory=User.current)
    stop_signal: signal.Signals = signal.SIGTERM
    kill_signal: signal.Signals = signal.SIGKILL
    start_timeout: float = 30
    stop_timeout: float = 10
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False, repr=False)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """Id of the process and of its group. Raises ``RuntimeError`` when it does not run."""
        if self._process is None:
            raise RuntimeError(f"{self.name} does not run")
        return self._process.pid

    def is_running(self) -> bool:
        """Return whether it runs. If it has ended by itself, what it left of its group is ended too."""
        if self._process is not None and self._process.poll() is not None:
            self.kill()
        return self._process is not None

    def start(self) -> None:
        """Start the process and wait until it is ready.

        Raises:
            StartError: If it ended meanwhile, or was not ready in time. Nothing of it is left then.
        """
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                tethered(self.command, self.user, self.stop_signal),
                env=self.environ,
                cwd=self.cwd,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        try:
            self._wait_until_ready()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """End it in order. Harmless after its end."""
        self._end(self.stop_signal)

    def kill(self) -> None:
        """End it as a crash would. Harmless after its end."""
        self._end(self.kill_signal)

    def _end(self, first: signal.Signals) -> None:
        if self._process is None:
            return
        self._process.send_signal(first)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(self.stop_timeout)
        # If the process has ended, then just now, so its id cannot be somebody else's yet.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + self.start_timeout
        while not self.ready():
            if not self.is_running():
                raise StartError(self.name, "ended during its start", self.log)
            if time.monotonic() > deadline:
                raise StartError(self.name, f"was not ready after {self.start_timeout:g} s", self.log)
            time.sleep(POLL)
