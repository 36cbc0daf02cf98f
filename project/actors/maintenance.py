"""Actors that keep the house."""

from django.conf import settings
from django.utils import timezone

from project.actors.digests import send_digest
from project.actors.exports import run_export
from project.actors.notifications import fan_out_event
from project.actors.periodic import periodic
from project.actors.wakes import send_wakes
from project.services.digests.settle import settle_unanswered
from project.services.exports.overdue import overdue_exports
from project.services.maintenance.overdue import overdue_digests, overdue_events


@periodic(queue_name="clock")
def sweep() -> None:
    """Name overdue rows again and settle what nobody will answer any more."""
    now, limits = timezone.now(), settings.LIMITS
    send_wakes(fan_out_event, overdue_events(now=now, limits=limits))
    send_wakes(send_digest, overdue_digests(now=now, limits=limits))
    send_wakes(run_export, overdue_exports(now=now, limits=limits))
    settle_unanswered(now=now, limits=limits)
