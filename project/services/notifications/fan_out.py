"""Fan-out: a committed event becomes notifications, log rows and subscriptions, exactly once (G1).

Doing it again changes nothing: the event's status is compared and set in the transaction that writes the
rows, and the rows are named after their causes.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from django.db import transaction
from django.db.models import F, Manager, Model, QuerySet

from project.limits import Limits
from project.models import (
    MACHINE_FIELDS,
    EmailNotificationLog,
    EventStatus,
    Issue,
    IssueActivity,
    IssueEvent,
    IssueSubscriber,
    Notification,
    StateGroup,
    Wake,
    advance,
)
from project.services.notifications.audience import Telling, audience, joining, tellings
from project.services.notifications.people import people_around
from project.services.notifications.record import EventKind
from project.services.notifications.rows import Rows

M = TypeVar("M", bound=Model)

BATCH = 1000  # rows of one INSERT
REASON_LENGTH = 500

logger = logging.getLogger(__name__)


def fan_out(event_id: UUID, dispatch: int, *, now: datetime, limits: Limits) -> list[Wake]:
    """Tell everybody concerned of an event.

    A stale `dispatch` or an event that is done already changes nothing. An event whose fan-out fails keeps
    the error as its `reason`; after `limits.event_attempts` starts it ends as FAILED, even if every one of
    them killed its worker.

    Returns:
        Nothing to wake: the stacker looks for waiting log rows by itself.

    Raises:
        Exception: whatever made this attempt fail; the caller tries again.
    """
    pending = IssueEvent.objects.filter(id=event_id, dispatch=dispatch, status=EventStatus.PENDING)
    event = _start(pending, limits)
    if event is not None:
        try:
            _tell(event, pending, now)
        except Exception as error:
            pending.update(reason=_in_words(error))
            raise
    return []


def _start(pending: QuerySet[IssueEvent], limits: Limits) -> IssueEvent | None:
    """Count this start, in a transaction of its own: an attempt that kills its worker is counted too."""
    with transaction.atomic(durable=True):
        if not pending.update(attempts=F("attempts") + 1):
            return None
        event = pending.select_related("actor").get()
        if event.attempts <= limits.event_attempts:
            return event
        last = event.reason or "none recorded, the worker was killed or timed out"
        reason = f"gave up after {limits.event_attempts} attempts; last error: {last}"
        advance(pending, to=EventStatus.FAILED, reason=reason)
        logger.error("event %s: %s", event.id, reason)
        return None


def _tell(event: IssueEvent, pending: QuerySet[IssueEvent], now: datetime) -> None:
    with transaction.atomic(durable=True):
        # First of all: a second worker then waits here, and finds nothing left to do.
        if not advance(pending, to=EventStatus.FANNED_OUT, fanned_out_at=now, reason=""):
            return
        # All, since the deletion of an issue is told as well.
        issue = Issue.all_objects.select_related("project", "workspace", "state").get(id=event.issue_id)
        if _hidden(issue):
            return
        activities = _activities(event)
        people = people_around(issue, event, activities)
        told = tellings(activities, audience(people), _mentioned_by(event))
        rows = Rows(event, issue, now)
        _insert(Notification.objects, [rows.notification(telling) for telling in told])
        _insert(EmailNotificationLog.objects, _log_rows(rows, told))
        joins = joining(people, actor_too=event.kind != EventKind.ISSUE_DELETED)
        _insert(IssueSubscriber.objects, [rows.subscription(user) for user in joins])


def _hidden(issue: Issue) -> bool:
    """Whether the issue is not among the project's issues yet: a draft, or one that waits in triage."""
    return issue.is_draft or (issue.state is not None and issue.state.group == StateGroup.TRIAGE)


def _activities(event: IssueEvent) -> list[IssueActivity]:
    """Return what the event has to tell, in its order; an activity of another issue is not told here."""
    return list(
        IssueActivity.all_objects.filter(id__in=event.activity_ids, issue=event.issue_id)
        .exclude(field__in=MACHINE_FIELDS)
        .select_related("issue_comment")
        .order_by("created_at")
    )


def _mentioned_by(event: IssueEvent) -> set[UUID]:
    """Return whom the event's activities mention, by this event or by another of the same activity.

    Such another is an edit of a description that went on: whom the first event mentioned is not also told
    by the second that the description changed, in whichever order the two are fanned out.
    """
    same = IssueEvent.objects.filter(issue=event.issue_id, activity_ids__overlap=event.activity_ids)
    return {user for mentioned in same.values_list("mentioned_ids", flat=True) for user in mentioned}


def _log_rows(rows: Rows, told: Sequence[Telling]) -> list[EmailNotificationLog]:
    """Return the lines to mail.

    If the actor is gone, the issue's creator stands in as who triggered them, or at last the workspace's owner.
    """
    triggered_by = rows.event.actor_id or rows.issue.created_by_id or rows.issue.workspace.owner_id
    return [rows.log(telling, triggered_by) for telling in told]


def _insert(manager: Manager[M], rows: list[M]) -> None:
    """Insert `rows`; one that is there already, by its id or a unique key, stays as it is."""
    manager.bulk_create(rows, batch_size=BATCH, ignore_conflicts=True)


def _in_words(error: Exception) -> str:
    """Name the error by its class and first line: the further lines of PostgreSQL's errors quote rows."""
    return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"[:REASON_LENGTH]
