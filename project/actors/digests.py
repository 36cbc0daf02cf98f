"""Actors of the digests feature."""

from dataclasses import replace
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone

from project.actors.periodic import periodic
from project.actors.wakes import send_wakes
from project.queue import actor
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from project.services.digests.draft import Letterhead

#: One connection to the mail server for each thread of this process.
OUTBOX = Outbox(settings.MAIL_SERVER, Letterhead(settings.NOTIFY_FROM, settings.SITE_URL), settings.LIMITS)


@actor(queue_name="mail")
def send_digest(digest_id: str, dispatch: int) -> None:
    """Send one digest."""
    deliver(UUID(digest_id), dispatch, owner=uuid4(), outbox=OUTBOX, clock=timezone.now)


@periodic(queue_name="clock")
def stack_digests() -> None:
    """Claim due lines and send the digests they became, batch by batch until nothing is due.

    While mail is stopped only what the breaker can be probed with is sent; after it there is room for a few.
    """
    limits, breaker = settings.LIMITS, OUTBOX.breaker
    send_wakes(send_digest, breaker.candidate(now=timezone.now()))
    claimed = 0
    while (batch := min(limits.claim_batch, breaker.room(now=timezone.now()) - claimed)) > 0:
        wakes = claim(now=timezone.now(), limits=replace(limits, claim_batch=batch))
        send_wakes(send_digest, wakes)
        claimed += batch
        if len(wakes) < batch:
            return
