"""Declares actors that the schedule runs."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps

from django.utils import timezone
from dramatiq import Actor
from dramatiq.middleware import CurrentMessage

from project.queue import actor
from project.services.maintenance.schedule import IncompleteError, Work, run_tick


def periodic(*, queue_name: str) -> Callable[[Work], Actor[[], None]]:
    """Declare a function without arguments as a periodic actor: each of its ticks is run once, and recorded.

    What it returns, if anything, is recorded as the outcome (see `outcome`). Without a tick (a direct call, an
    operator's own message) it just runs.
    """

    def declare(work: Work) -> Actor[[], None]:
        @wraps(work)
        def run() -> None:
            if tick := _current_tick():
                run_tick(work.__name__, tick, work, clock=timezone.now)
            else:
                work()

        return actor(queue_name=queue_name)(run)

    return declare


def outcome(told: object, *, failed: bool) -> str:
    """Return in words what came of a run.

    Raises:
        IncompleteError: with these words, if a part of it `failed`: then the run is recorded as failed.
    """
    if failed:
        raise IncompleteError(str(told))
    return str(told)


def _current_tick() -> datetime | None:
    message = CurrentMessage.get_current_message()
    scheduled_at = message.options.get("scheduled_at") if message else None
    return datetime.fromisoformat(scheduled_at) if scheduled_at else None
