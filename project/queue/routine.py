"""A background thread that does one small thing again and again, whatever happens to it."""

import logging
from collections.abc import Callable
from datetime import timedelta
from threading import Event, Thread

logger = logging.getLogger(__name__)


class Routine(Thread):
    """Calls ``work`` every ``every`` until stopped; an exception costs that round only and is logged."""

    def __init__(self, name: str, every: timedelta, work: Callable[[], None]) -> None:
        super().__init__(name=name, daemon=True)
        self._every = every.total_seconds()
        self._work = work
        self._halt = Event()

    def run(self) -> None:
        """Work until :meth:`stop`; the first round comes after the first wait."""
        while not self._halt.wait(self._every):
            try:
                self._work()
            except Exception:
                logger.exception("%s failed, next round in %gs", self.name, self._every)

    @property
    def stopped(self) -> bool:
        """Whether :meth:`stop` was called."""
        return self._halt.is_set()

    def stop(self) -> None:
        """Let no further round begin; one in progress may still end."""
        self._halt.set()
