"""Sends wake-ups: the one bridge from what services return to the queue."""

from collections.abc import Callable, Iterable

from django.conf import settings
from django.db.models import Model
from django.utils import timezone
from dramatiq import Actor

from project.models import Wake, mark_sent
from project.queue import send_all


def send_wakes(actor: Actor[..., None], wakes: Iterable[Wake]) -> None:
    """Send one message of `actor` for each wake-up, in bulk; the message ids follow from the rows.

    Raises:
        dramatiq.errors.BrokerConnectionError: if the broker cannot be reached. Nothing is lost then: the sweep
            names the same rows again, and what was already sent has the same ids.
    """
    send_all([actor.message(str(wake.row_id), wake.dispatch) for wake in wakes])


def send_found(actor: Actor[..., None], rows: type[Model], find: Callable[..., list[Wake]]) -> None:
    """Send what a sweep finds among `rows`, batch by batch until no more is found.

    After an emptied Redis that may be all that was waiting.
    """
    limits = settings.LIMITS
    for _ in range(limits.claim_rounds):
        wakes = find(now=timezone.now(), limits=limits)
        send_wakes(actor, wakes)
        mark_sent(rows, wakes, now=timezone.now())
        if len(wakes) < limits.sweep_batch:
            return
