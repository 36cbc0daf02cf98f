"""Sends the ticks. Two schedulers at once are normal: a tick's message id is made from actor and time, so
the second one is dropped.
"""

import logging
import signal
import sys
import time
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from dramatiq import Actor
from dramatiq.errors import ConnectionError as BrokerConnectionError
from periodiq import Scheduler

logger = logging.getLogger(__name__)


class SteadyScheduler(Scheduler):  # type: ignore[misc]  # periodiq has no types
    """periodiq's scheduler, but a tick that cannot be sent does not end the process.

    What a tick would have found is still there at the next one: periodic work is selected by its data.
    """

    def send_actors(self, actors: Iterable[Actor[..., None]], now: datetime) -> None:
        """Send the tick of each actor; `now` becomes part of the message id."""
        for actor in actors:
            send_tick(actor, now)


def send_tick(actor: Actor[..., None], now: datetime) -> None:
    """Send one tick; an unreachable broker is logged, not raised."""
    try:
        actor.send_with_options(scheduled_at=now.isoformat())
    except BrokerConnectionError as error:
        logger.error("tick of %s at %s not sent: %s", actor.actor_name, now.isoformat(), error)


def run_every(pace: timedelta, actors: Iterable[Actor[..., None]]) -> None:
    """Send a tick of all `actors` every `pace`, on a grid that all schedulers share, for ever.

    For demonstrations and tests, which cannot wait for cron's minute.
    """
    step = pace.total_seconds()
    while True:
        beat = datetime.fromtimestamp(time.time() // step * step, UTC)
        for actor in actors:
            send_tick(actor, beat)
        time.sleep(step - time.time() % step)


def stop_on_sigterm() -> None:
    """Turn SIGTERM into an ordinary exit with status 0."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
