"""Sends the ticks of one entry of the schedule.

Two schedulers at once are normal: a tick's message id is made of actor and tick, so the second message is
recognised as a copy.
"""

import logging
from datetime import UTC, datetime, timedelta

from django.db import Error as DatabaseError
from django.db import close_old_connections
from dramatiq import Actor
from dramatiq.errors import BrokerConnectionError
from periodiq import cron

from project.limits import Limits
from project.queue.names import tick_of
from project.services.maintenance.crontab import EVERY_MINUTE, Crontab
from project.services.maintenance.schedule import is_missing
from scheduler.schedule import Entry

logger = logging.getLogger(__name__)

MINUTE = timedelta(minutes=1)


class Pace:
    """Stands in for the cron line of what runs every minute: every `step`, which only demonstrations and tests
    make shorter. It has the methods of a cron line that periodiq's scheduler calls.
    """

    def __init__(self, step: timedelta) -> None:
        self.step = step

    def validate(self, _: datetime) -> bool:
        """Return whether `now` is right: it always is."""
        return True

    def next_valid_date(self, now: datetime) -> datetime:
        """Return the next moment on the grid, which all schedulers share."""
        return tick_of(datetime.fromtimestamp(now.timestamp(), UTC), self.step) + self.step


class Ticker:
    """One entry, in the shape in which periodiq's scheduler takes actors: with a cron line among its options.

    Args:
        entry: which.
        limits: the length of ticks, and how long to wait for a run before its tick is sent again.
        since: when this scheduler was started.
    """

    def __init__(self, entry: Entry, limits: Limits, since: datetime) -> None:
        every_minute = entry.cron == EVERY_MINUTE
        self.options = {"periodic": Pace(limits.tick) if every_minute else cron(entry.cron)}
        self._grid = limits.tick if every_minute else MINUTE
        self._entry, self._crontab = entry, Crontab.parse(entry.cron)
        self._patience, self._since = limits.overdue, since
        self._sent: datetime | None = None  # the last tick that was sent, and when
        self._sent_at = since

    def send(self, now: datetime) -> None:
        """Send the tick of `now`, unless this was done."""
        tick = tick_of(now, self._grid)
        if tick != self._sent:
            self._send(tick, now)

    def catch_up(self, now: datetime) -> None:
        """Send the last tick again if the policy says so, and it was missed or its message got lost."""
        if self._entry.catch_up == "none":
            return
        tick = self._crontab.latest(now)
        if tick is None or (tick == self._sent and now < self._sent_at + self._patience):
            return
        if self._is_missing(tick):
            logger.warning("no run of %s for %s: sent (again)", self._entry.actor.actor_name, tick)
            self._send(tick, now)

    def _is_missing(self, tick: datetime) -> bool:
        close_old_connections()
        try:
            return is_missing(self._entry.actor.actor_name, tick, since=self._since)
        except DatabaseError as error:
            logger.error("cannot ask whether %s ran at %s: %s", self._entry.actor.actor_name, tick, error)
            return False

    def _send(self, tick: datetime, now: datetime) -> None:
        if send_tick(self._entry.actor, tick):
            self._sent, self._sent_at = tick, now


def send_tick(actor: Actor[..., None], tick: datetime) -> bool:
    """Send one tick and return whether that worked; an unreachable broker is logged, not raised."""
    try:
        actor.send_with_options(scheduled_at=tick.isoformat())
    except BrokerConnectionError as error:
        logger.error("tick of %s for %s not sent: %s", actor.actor_name, tick, error)
        return False
    return True
