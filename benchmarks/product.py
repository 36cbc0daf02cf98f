"""The product's way: claim, then one attempt at each digest."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import uuid4

from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from project.mail_server import MailServer
from project.models import Wake
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from project.services.digests.draft import Letterhead


def outbox(url: str) -> Outbox:
    """An outbox like the workers' own, for the server at `url`."""
    letterhead = Letterhead(settings.NOTIFY_FROM, settings.SITE_URL)
    return Outbox(MailServer.from_url(url), letterhead, settings.LIMITS)


def later() -> datetime:
    """A moment at which everything that waits is due."""
    return timezone.now() + settings.LIMITS.window_cap


def claim_all() -> list[Wake]:
    """Claim batch by batch, as the stacker does."""
    wakes: list[Wake] = []
    while batch := claim(now=later(), limits=settings.LIMITS):
        wakes += batch
    return wakes


def deliver_all(wakes: list[Wake], outbox: Outbox) -> None:
    """Do one attempt at each digest."""
    for wake in wakes:
        deliver(wake.row_id, wake.dispatch, owner=uuid4(), outbox=outbox, clock=timezone.now)


class Stopwatch:
    """Seconds between the beginning and the end of a ``with``."""
