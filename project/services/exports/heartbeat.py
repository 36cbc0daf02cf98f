"""The pulse of a running attempt: writes its progress, and hears that it is to stop."""

import logging
import threading
from collections.abc import Callable
from datetime import datetime
from types import TracebackType
from typing import Self

import psycopg
from django.db import Error as DatabaseError
from django.db import connection

from project.limits import Limits
from project.services.exports.attempts import Attempt, note_progress
from project.services.exports.snapshot import Snapshot

logger = logging.getLogger(__name__)


class LostError(Exception):
    """The export was cancelled, or is somebody else's by now. Nothing is to be recorded."""


class TooLongError(Exception):
    """The attempt took longer than an attempt may."""


class Heartbeat:
    """Beats in a thread of its own, so that a cancel is noticed while the database is still sorting.

    What the thread finds out is raised by `check`, in the thread that makes the archive.
    """

    def __init__(
        self, attempt: Attempt, snapshot: Snapshot, limits: Limits, clock: Callable[[], datetime]
    ) -> None:
        self._rows = 0
        self._attempt = attempt
        self._snapshot = snapshot
        self._clock = clock
        self._until = clock() + limits.export_time
        self._every = limits.export_heartbeat.total_seconds()
        self._stop = threading.Event()
        self._why: type[Exception] | None = None
        self._thread = threading.Thread(target=self._run, name="export-heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        self._thread.join()

    def progressed(self, rows: int) -> None:
        """Take the number of rows that were written so far, and `check`."""
        self._rows = rows
        self.check()

    def check(self) -> None:
        """Raise if the attempt is to stop.

        Raises:
            LostError, TooLongError: why.
        """
        if self._why:
            raise self._why

    def _run(self) -> None:
        try:
            while not self._stop.wait(self._every) and self._why is None:
                self._beat()
        finally:
            connection.close()  # this thread's

    def _beat(self) -> None:
        now = self._clock()
        try:
            if not note_progress(self._attempt, rows=self._rows, now=now):
                self._why = LostError
        except DatabaseError as error:
            # The fence is what must not fail. Until then another try may succeed.
            logger.warning("export %s: progress not written: %s", self._attempt.export_id, error)
            connection.close()
        if now >= self._until:
            self._why = TooLongError
        if self._why:
            self._stop_reading()

    def _stop_reading(self) -> None:
        try:
            self._snapshot.cancel()
        except psycopg.Error as error:
            logger.warning("export %s: the query goes on: %s", self._attempt.export_id, error)
