"""Deletes what served its purpose: records of the past, and what was counted for some minutes.

Each table has its own limit. What is younger, unfinished or still asked for by somebody stays.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, Q, QuerySet

from project.limits import Limits
from project.models import (
    EventStatus,
    IssueEvent,
    MailFailure,
    MailProviderEvent,
    Notification,
    RequeueAudit,
    ScheduleRun,
)
from project.services.maintenance.purge import Purge

Old = Callable[[datetime, Limits], QuerySet[Any]]


def remove_old_records(purge: Purge) -> None:
    """Delete old notifications, and records of what was done; they are archived before, if anything is."""
    for old in (_notifications, _events, _runs, _orders, _provider_events):
        purge.clear(old(purge.now, purge.limits))


def remove_spent(purge: Purge) -> None:
    """Delete what nobody would look for in an archive; sessions must not even be in one."""
    for old in (_failures, _sessions):
        purge.clear(old(purge.now, purge.limits))


def _notifications(now: datetime, limits: Limits) -> QuerySet[Notification]:
    seen = Q(read_at__isnull=False) | Q(archived_at__isnull=False)
    old = Q(seen, created_at__lte=now - limits.notifications_kept) | Q(
        created_at__lte=now - limits.unread_kept
    )
    # Snoozed: somebody wants to be reminded of it.
    return Notification.all_objects.filter(old).exclude(snoozed_till__gt=now)


def _events(now: datetime, limits: Limits) -> QuerySet[IssueEvent]:
    return IssueEvent.objects.filter(
        status=EventStatus.FANNED_OUT, fanned_out_at__lte=now - limits.events_kept
    )


def _runs(now: datetime, limits: Limits) -> QuerySet[ScheduleRun]:
    """Not an actor's newest: the scheduler asks it whether a tick was missed."""
    newer = ScheduleRun.objects.filter(actor=OuterRef("actor"), tick__gt=OuterRef("tick"))
    return ScheduleRun.objects.filter(Exists(newer), tick__lte=now - limits.runs_kept)


def _orders(now: datetime, limits: Limits) -> QuerySet[RequeueAudit]:
    return RequeueAudit.objects.filter(at__lte=now - limits.orders_kept)


def _provider_events(now: datetime, limits: Limits) -> QuerySet[MailProviderEvent]:
    return MailProviderEvent.objects.filter(
        processed_at__isnull=False, created_at__lte=now - limits.provider_events_kept
    )


def _failures(now: datetime, limits: Limits) -> QuerySet[MailFailure]:
    return MailFailure.objects.filter(at__lte=now - limits.mail_failures_kept)


def _sessions(now: datetime, _: Limits) -> QuerySet[Session]:
    return Session.objects.filter(expire_date__lte=now)
