"""Workers that lose their lease in the middle of a mail, again and again: the fence lets one of them pass."""

import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from itertools import repeat
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from project.models import DigestStatus, EmailDigest, EmailNotificationLog
from project.models.digest import ENDED
from project.services.digests import deliver as module
from project.services.digests.attempts import Attempt, fence
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from tests.factories import Team
from tests.scripted_smtp import Accepted, running
from tests.services.digests.sending import LETTERHEAD, LIMITS, changed
from tests.services.digests.slow_server import slowly

pytestmark = pytest.mark.django_db(transaction=True)
WORKERS = 4
ENDLESS = replace(LIMITS, mail_reclaims=10_000)


def deafly(attempt: Attempt, **at) -> bool:
    """A fence whose answer nobody listens to."""
    fence(attempt, **at)
    return True


def race(team: Team, *, mails: int, lease: timedelta) -> list[Accepted]:
    """Let every worker take over whatever has been worked at for longer than a lease."""
    for number in range(mails):
        changed(team, receiver=("bob", "carl", "dora", "eve")[number % 4])
    EmailNotificationLog.objects.update(created_at=timezone.now() - LIMITS.window_cap)
    claim(now=timezone.now(), limits=ENDLESS)
    with running(slowly) as server:
        outbox = Outbox(server.address, LETTERHEAD, ENDLESS)
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(work, range(WORKERS), repeat(outbox), repeat(lease)))
    return server.accepted


def work(seed: int, outbox: Outbox, lease: timedelta) -> None:
    dice = random.Random(seed)
    unfinished = EmailDigest.objects.exclude(status__in=ENDED)
    waiting = unfinished.filter(status=DigestStatus.WAITING)
    try:
        while unfinished.exists():
            stale = unfinished.filter(status=DigestStatus.SENDING, started_at__lt=timezone.now() - lease)
            wakes = (stale or waiting).values_list("id", "dispatch")[:1]  # what others are at comes first
            for row_id, dispatch in wakes:
                deliver(row_id, dispatch, owner=uuid4(), outbox=outbox, clock=timezone.now)
            time.sleep(dice.uniform(0, 0.15))  # else they steal mails from each other for ever
    finally:
        outbox.connections.close()
        connection.close()


def copies(accepted: list[Accepted]) -> Counter[int]:
    """How many mails were accepted how often."""
    return Counter(Counter(mail.content for mail in accepted).values())


def test_m10_with_a_lease_far_shorter_than_a_mail_each_is_sent_once(team):
    accepted = race(team, mails=60, lease=timedelta(milliseconds=20))
    assert copies(accepted) == {1: 60}
    rows = EmailDigest.objects.filter(status=DigestStatus.SENT)
    assert rows.count() == 60
    assert sum(rows.values_list("attempt", flat=True)) > 60  # there were take-overs


def test_without_the_fence_they_are_not(team, monkeypatch):
    monkeypatch.setattr(module, "fence", deafly)
    accepted = race(team, mails=30, lease=timedelta(milliseconds=20))
    assert len(accepted) > 30
