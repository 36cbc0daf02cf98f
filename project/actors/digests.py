"""Actors of the digests feature."""

from dataclasses import replace
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone

from project.actors.periodic import periodic
from project.actors.wakes import send_found, send_wakes
from project.models import EmailDigest, mark_sent
from project.monitoring.measures import MAIL_PHASES
from project.monitoring.noting import note_mail
from project.queue import actor
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from project.services.digests.draft import Letterhead
from project.services.maintenance.overdue import overdue_digests

#: One connection to the mail server for each thread of this process.
OUTBOX = Outbox(
    settings.MAIL_SERVER,
    Letterhead(
        settings.NOTIFY_FROM,
        settings.SITE_URL,
        unsubscribe_mailto=settings.UNSUBSCRIBE_MAILTO,
        keeps_ids=settings.MAIL_PROVIDER is None or settings.MAIL_PROVIDER.keeps_ids,
    ),
    settings.LIMITS,
    timed=MAIL_PHASES.add,
)


@actor(queue_name="mail")
def send_digest(digest_id: str, dispatch: int) -> None:
    """Send one digest."""
    verdict = deliver(UUID(digest_id), dispatch, owner=uuid4(), outbox=OUTBOX, clock=timezone.now)
    note_mail(UUID(digest_id), verdict, now=timezone.now())


@periodic(queue_name="clock")
def stack_digests() -> None:
    """Claim due lines and send the digests they became, batch by batch until nothing is due.

    First what was claimed and never sent: this may be the second delivery of a message whose worker died
    between its commit and its sending, and then nobody else would look before the next tick.

    While mail is stopped only what the breaker can be probed with is sent; after it there is room for a few.
    """
    limits, breaker = settings.LIMITS, OUTBOX.breaker
    send_found(send_digest, EmailDigest, overdue_digests)
    send_wakes(send_digest, breaker.candidate(now=timezone.now()))
    claimed = 0
    while (batch := min(limits.claim_batch, breaker.room(now=timezone.now()) - claimed)) > 0:
        wakes = claim(now=timezone.now(), limits=replace(limits, claim_batch=batch))
        send_wakes(send_digest, wakes)
        mark_sent(EmailDigest, wakes, now=timezone.now())
        claimed += batch
        if len(wakes) < batch:
            return
