"""Actors that keep the house."""

from collections.abc import Callable

from django.conf import settings
from django.utils import timezone
from dramatiq import Actor

from project.actors.digests import send_digest
from project.actors.exports import run_export
from project.actors.notifications import fan_out_event
from project.actors.periodic import periodic
from project.actors.wakes import send_wakes
from project.models import Wake
from project.services.digests.settle import settle_unanswered
from project.services.exports.overdue import overdue_exports
from project.services.maintenance.overdue import overdue_digests, overdue_events


@periodic(queue_name="clock")
def sweep() -> None:
    """Name overdue rows again and settle what nobody will answer any more."""
    _send_overdue(fan_out_event, overdue_events)
    _send_overdue(send_digest, overdue_digests)
    _send_overdue(run_export, overdue_exports)
    settle_unanswered(now=timezone.now(), limits=settings.LIMITS)


def _send_overdue(actor: Actor[..., None], find: Callable[..., list[Wake]]) -> None:
    """Batch by batch until no more is found: after an emptied Redis it may be all that was waiting."""
    limits = settings.LIMITS
    for _ in range(limits.claim_rounds):
        wakes = find(now=timezone.now(), limits=limits)
        send_wakes(actor, wakes)
        if len(wakes) < limits.sweep_batch:
            return
