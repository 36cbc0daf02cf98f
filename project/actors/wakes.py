"""Sends wake-ups: the one bridge from what services return to the queue."""

from collections.abc import Callable, Iterable

from django.conf import settings
from django.db.models import Model
from django.utils import timezone
from dramatiq import Actor

from project.models import Wake, mark_sent, rename
from project.queue import send_all
from project.queue.broker import redis_errors_as_closed
from project.queue.client import connect
from project.queue.ledger import Ledger


def send_wakes(actor: Actor[..., None], wakes: Iterable[Wake]) -> None:
    """Send one message of `actor` for each wake-up, in bulk; the message ids follow from the rows.

    Raises:
        dramatiq.errors.BrokerConnectionError: if the broker cannot be reached. Nothing is lost then: the sweep
            names the same rows again, and what was already sent has the same ids.
    """
    send_all([actor.message(str(wake.row_id), wake.dispatch) for wake in wakes])


def send_found(actor: Actor[..., None], rows: type[Model], find: Callable[..., list[Wake]]) -> None:
    """Send what a sweep finds among `rows`, batch by batch until no more is found.

    After an emptied Redis that may be all that was waiting. What is unfinished although its message counts as
    done was left by a worker that took it over and died, while the one it had taken it from ended well: it gets
    another name.
    """
    limits = settings.LIMITS
    for _ in range(limits.claim_rounds):
        found = find(now=timezone.now(), limits=limits)
        wakes = _under_living_names(actor, rows, found)
        send_wakes(actor, wakes)
        mark_sent(rows, wakes, now=timezone.now())
        if len(found) < limits.sweep_batch:
            return


def _under_living_names(actor: Actor[..., None], rows: type[Model], found: list[Wake]) -> list[Wake]:
    names = {actor.message(str(wake.row_id), wake.dispatch).message_id: wake for wake in found}
    with connect(settings.DEDUP_REDIS_URL, settings.LIMITS.redis_timeout) as client, redis_errors_as_closed():
        done = Ledger(client, settings.LIMITS).done(names)
    abandoned = [names.pop(name) for name in done]
    return [*names.values(), *rename(rows, abandoned)]
