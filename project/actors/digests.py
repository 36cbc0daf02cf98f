"""Actors of the digests feature."""

from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone

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


@actor(queue_name="clock")
def stack_digests() -> None:
    """Claim due lines and send the digests they became, batch by batch until nothing is due."""
    for _ in range(settings.LIMITS.claim_rounds):
        wakes = claim(now=timezone.now(), limits=settings.LIMITS)
        send_wakes(send_digest, wakes)
        if len(wakes) < settings.LIMITS.claim_batch:
            return
