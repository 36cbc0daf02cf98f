"""The sweep: rows whose wake-up is due, or got lost, are named again.

Work is selected by its data, never by the time of a tick, so a missed or doubled sweep changes nothing. A
row that shows no progress gets the *same* wake-up again; if the first one still lives, dedup drops the copy.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import F, Q, QuerySet

from project.limits import Limits
from project.models import DigestStatus, EmailDigest, EventStatus, IssueEvent, Wake


def overdue_events(*, now: datetime, limits: Limits) -> list[Wake]:
    """Find events that were not fanned out within `limits.overdue` of being put on the queue."""
    stale = now - limits.overdue
    return _name_again(
        IssueEvent.objects.filter(status=EventStatus.PENDING, enqueued_at__lte=stale).order_by("enqueued_at"),
        now=now,
        limits=limits,
    )


def overdue_digests(*, now: datetime, limits: Limits) -> list[Wake]:
    """Find digests that wait for their next attempt and are due, and those whose wake-up or worker got lost."""
    stale = now - limits.overdue
    never_named_or_lost = Q(enqueued_at__isnull=True) | Q(enqueued_at__lte=stale)
    due = Q(status=DigestStatus.WAITING, due_at__lte=now)
    stuck = Q(status=DigestStatus.SENDING, started_at__lte=stale)
    # No living worker began that long ago, and yet no copy of its message got through: under this name the work
    # counts as done. It gets another one.
    abandoned = Q(enqueued_at__lte=stale, started_at__lte=now - limits.time_limit)
    EmailDigest.objects.filter(abandoned & (due | stuck)).update(dispatch=F("dispatch") + 1)
    return _name_again(
        EmailDigest.objects.filter(never_named_or_lost & (due | stuck)).order_by("due_at"),
        now=now,
        limits=limits,
    )


def _name_again(
    rows: QuerySet[IssueEvent] | QuerySet[EmailDigest], *, now: datetime, limits: Limits
) -> list[Wake]:
    with transaction.atomic(durable=True):
        locked = list(
            rows.select_for_update(skip_locked=True, of=("self",)).values_list("id", "dispatch")[
                : limits.sweep_batch
            ]
        )
        rows.model._default_manager.filter(id__in=[row_id for row_id, _ in locked]).update(enqueued_at=now)
    return [Wake(*row) for row in locked]
