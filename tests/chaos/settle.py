"""Waits, once the storm is over, until everything has come to its end."""

import time
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from project.actors.digests import send_digest
from project.actors.wakes import send_wakes
from project.models import DigestStatus, EmailDigest, EmailNotificationLog, EventStatus, IssueEvent
from project.models.digest import ENDED
from project.services.digests.settle import settle_unanswered
from project.services.maintenance.overdue import overdue_digests
from tests.chaos.crew import Crew

STEP = 0.2  # seconds
MINUTE = 60.0  # seconds that a busy machine is given on top
NUDGE = 5.0  # seconds between two nudges: time for a mail that was sent again to be answered
DAYS = 20  # how far the clock is put forward at most, one day at a time


def settle(crew: Crew) -> str:
    """Let nobody make new events, and wait for the old ones.

    First comes what the product does by itself. What is left then waits for a time that lies ahead: for its
    next try after the mail server put it off, or until nobody could still answer. For these the clock that the
    sweep is given is put forward.

    Returns:
        What is stuck: still unfinished although nothing has changed for longer than any sweep takes.
    """
    crew.retire_writer()
    for days in range(1, DAYS):
        stuck = _until_nothing_moves(crew)
        if stuck or not _open().exists():
            return stuck
        _put_clock_forward(timezone.now() + timedelta(days=days))
        _pause(crew, NUDGE)
    return f"{_open().count()} digests, put off again and again"


def _until_nothing_moves(crew: Crew) -> str:
    patience = 2 * settings.LIMITS.overdue.total_seconds() + MINUTE
    before, since = "", time.monotonic()
    while (moving := _moving()) and time.monotonic() - since < patience:
        if moving != before:
            before, since = moving, time.monotonic()
        _pause(crew, STEP)
    return moving


def _moving() -> str:
    """Say what still makes progress by itself, or should."""
    now, limits = timezone.now(), settings.LIMITS
    answering = Q(status=DigestStatus.FENCED, dot_at__gt=now - limits.smtp_dot - limits.smtp_command)
    waiting = Q(status=DigestStatus.WAITING, due_at__lte=now)
    found = {
        "events": IssueEvent.objects.filter(status=EventStatus.PENDING),
        "log rows": EmailNotificationLog.objects.filter(processed_at=None),
        "digests": _open().filter(Q(status=DigestStatus.SENDING) | waiting | answering),
    }
    counts = {name: rows.count() for name, rows in found.items()}
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number)


def _open() -> QuerySet[EmailDigest]:
    return EmailDigest.objects.exclude(status__in=ENDED)


def _put_clock_forward(now: datetime) -> None:
    send_wakes(send_digest, overdue_digests(now=now, limits=settings.LIMITS))
    settle_unanswered(now=now, limits=settings.LIMITS)


def _pause(crew: Crew, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        crew.revive()
        time.sleep(STEP)
