"""What waits, and for how long: indexes of open rows answer, so finished ones do not matter."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case, Count, F, Min, Q, QuerySet, When

from project.limits import Limits
from project.models import (
    LONGEST_DAY,
    DigestStatus,
    EmailDigest,
    EmailNotificationLog,
    EventStatus,
    ExportRun,
    IssueEvent,
    MailMode,
)
from project.models.digest import ENDED
from project.models.export import OPEN

_DUE_AT = (
    F("created_at")
    + Case(When(receiver__mail_schedule__mode=MailMode.DAILY, then=LONGEST_DAY), default=timedelta(0))
    + Case(When(receiver__mail_schedule__quiet_from__isnull=False, then=LONGEST_DAY), default=timedelta(0))
)


@dataclass(frozen=True)
class Backlog:
    """Rows of one kind that are not done.

    Attributes:
        open: how many, those that are put off included.
        due: how many should be worked on now.
        oldest_due: for how many seconds the oldest of these has been due.
    """

    open: int
    due: int
    oldest_due: float


@dataclass(frozen=True)
class Attention:
    """Rows that wait for a person: events given up, digests to be decided on."""

    failed_events: int
    held_digests: int


def backlogs(*, now: datetime) -> dict[str, Backlog]:
    """Tell what is open, by kind of row.

    A line counts as due from its writing, since windows take minutes. If its receiver wants mail once a day, or has
    quiet hours, it counts from a day later; with both, from two.
    """
    lines = EmailNotificationLog.objects.filter(processed_at__isnull=True).annotate(due_at=_DUE_AT)
    events = IssueEvent.objects.filter(status=EventStatus.PENDING)
    digests = EmailDigest.objects.exclude(status__in=sorted(ENDED))
    exports = ExportRun.objects.filter(status__in=sorted(OPEN))
    return {
        "line": _backlog(lines, "due_at", now),
        "event": _backlog(events, "occurred_at", now),
        "digest": _backlog(digests, "due_at", now),
        "export": _backlog(exports, "due_at", now),
    }


def late(found: Mapping[str, Backlog], limits: Limits) -> dict[str, float]:
    """Return the ages of those that have been due for longer than the sweeps need to move them, with some missed.

    Lines may wait besides for their window, or for some time to pass since the last mail about their issue.
    """
    slack = {"line": limits.line_wait}
    return {
        kind: rows.oldest_due
        for kind, rows in found.items()
        if rows.oldest_due > (limits.patience + slack.get(kind, timedelta(0))).total_seconds()
    }


def attention() -> Attention:
    """Count what only a person can bring forward."""
    return Attention(
        failed_events=IssueEvent.objects.filter(status=EventStatus.FAILED).count(),
        held_digests=EmailDigest.objects.filter(status=DigestStatus.HELD).count(),
    )


def _backlog(
    rows: QuerySet[EmailNotificationLog] | QuerySet[IssueEvent] | QuerySet[EmailDigest] | QuerySet[ExportRun],
    since: str,
    now: datetime,
) -> Backlog:
    due = Q(**{f"{since}__lte": now})
    found = rows.aggregate(open=Count("*"), due=Count(since, filter=due), oldest=Min(since, filter=due))
    oldest: datetime | None = found["oldest"]
    return Backlog(found["open"], found["due"], (now - oldest).total_seconds() if oldest else 0.0)
