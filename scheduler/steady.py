"""periodiq's scheduler, made to outlive an unreachable broker, and to tell of minutes that it missed."""

import logging
from collections.abc import Iterable
from datetime import UTC, datetime

from periodiq import Scheduler

from project.limits import Limits
from project.queue.names import tick_of
from scheduler.presence import tell_alive
from scheduler.schedule import Entry
from scheduler.ticks import MINUTE, Ticker

logger = logging.getLogger(__name__)


class SteadyScheduler(Scheduler):  # type: ignore[misc]  # periodiq has no types
    """Runs a schedule.

    Args:
        schedule: the entries.
        limits: see ``Ticker``.
        since: now.
    """

    def __init__(self, schedule: Iterable[Entry], limits: Limits, since: datetime) -> None:
        super().__init__(actors=[Ticker(entry, limits, since) for entry in schedule])
        self._pace = max(limits.tick, MINUTE)
        self._woke = since

    def send_actors(self, actors: Iterable[Ticker], now: datetime) -> None:
        """Send what periodiq found to be due `now`, and what was missed before."""
        moment = datetime.fromtimestamp(now.timestamp(), UTC)
        self._look_back(moment)
        for ticker in actors:
            ticker.send(moment)
        for ticker in self.actors:
            ticker.catch_up(moment)
        tell_alive()

    def _look_back(self, now: datetime) -> None:
        steps = (tick_of(now, self._pace) - tick_of(self._woke, self._pace)) // self._pace
        if steps > 1:
            logger.warning("missed all ticks between %s and %s", self._woke, now)
        if steps < 0:
            logger.warning("clock set back from %s to %s: ticks between are not repeated", self._woke, now)
        self._woke = now
