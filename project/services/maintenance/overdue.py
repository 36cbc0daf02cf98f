"""The sweep: rows whose wake-up is due, or got lost, are named again.

Work is selected by its data, never by the time of a tick, so a missed or doubled sweep changes nothing. A
row that shows no progress gets the *same* wake-up again; if the first one still lives, dedup drops the copy.
Who sends what is found here marks it as sent afterwards (`mark_sent`): a sweep that dies in between hides
nothing from the next one.
"""

from datetime import datetime

from django.db.models import F, Q, QuerySet

from project.limits import Limits
from project.models import DigestStatus, EmailDigest, EventStatus, IssueEvent, Wake


def overdue_events(*, now: datetime, limits: Limits) -> list[Wake]:
    """Find events that were not fanned out within `limits.overdue` of being put on the queue.

    One that was named only by the request that wrote it is found sooner: that request may have died before it
    sent anything.
    """
    only_by_its_request = Q(enqueued_at=F("occurred_at"), enqueued_at__lte=now - limits.recovery_budget)
    lost = only_by_its_request | Q(enqueued_at__lte=now - limits.overdue)
    rows = IssueEvent.objects.filter(lost, status=EventStatus.PENDING)
    return _wakes(rows.order_by("enqueued_at"), limits)


def overdue_digests(*, now: datetime, limits: Limits) -> list[Wake]:
    """Find digests that wait for an attempt, are due and not on the queue, and those whose worker got lost.

    Not on the queue: claimed or put off and never sent since, or sent so long ago that it must have been lost.
    """
    stale = now - limits.overdue
    never_sent_or_lost = Q(enqueued_at__isnull=True) | Q(enqueued_at__lte=stale)
    only_by_its_order = Q(enqueued_at=F("due_at"), enqueued_at__lte=now - limits.recovery_budget)
    due = Q(status=DigestStatus.WAITING, due_at__lte=now)
    stuck = Q(status=DigestStatus.SENDING, started_at__lte=stale)
    rows = EmailDigest.objects.filter((never_sent_or_lost & (due | stuck)) | (only_by_its_order & due))
    return _wakes(rows.order_by("due_at"), limits)


def _wakes(rows: QuerySet[IssueEvent] | QuerySet[EmailDigest], limits: Limits) -> list[Wake]:
    return [Wake(*row) for row in rows.values_list("id", "dispatch")[: limits.sweep_batch]]
