"""Sends wake-ups: the one bridge from what services return to the queue."""

from collections.abc import Iterable

from dramatiq import Actor

from project.models import Wake
from project.queue import send_all


def send_wakes(actor: Actor[..., None], wakes: Iterable[Wake]) -> None:
    """Send one message of `actor` for each wake-up, in bulk; the message ids follow from the rows.

    Raises:
        dramatiq.errors.BrokerConnectionError: if the broker cannot be reached. Nothing is lost then: the sweep
            names the same rows again, and what was already sent has the same ids.
    """
    send_all([actor.message(str(wake.row_id), wake.dispatch) for wake in wakes])
