"""Actors that keep the house."""

from django.conf import settings
from django.utils import timezone

from project.actors.digests import send_digest
from project.actors.exports import run_export
from project.actors.notifications import fan_out_event
from project.actors.periodic import periodic
from project.actors.provider_events import note_provider_event
from project.actors.wakes import send_found
from project.models import EmailDigest, ExportRun, IssueEvent, MailProviderEvent
from project.services.digests.provider_events import overdue_provider_events
from project.services.digests.settle import settle_unanswered
from project.services.exports.overdue import overdue_exports
from project.services.maintenance.overdue import overdue_digests, overdue_events


@periodic(queue_name="clock")
def sweep() -> None:
    """Name overdue rows again and settle what nobody will answer any more."""
    send_found(fan_out_event, IssueEvent, overdue_events)
    send_found(send_digest, EmailDigest, overdue_digests)
    send_found(run_export, ExportRun, overdue_exports)
    send_found(note_provider_event, MailProviderEvent, overdue_provider_events)
    settle_unanswered(now=timezone.now(), limits=settings.LIMITS)
