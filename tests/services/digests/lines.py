"""Makers of log rows and digests for the tests of the mail half."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from project.models import (
    DigestStatus,
    EmailDigest,
    EmailDigestLine,
    EmailNotificationLog,
    Issue,
    IssueActivity,
    User,
)

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def make_activity(issue: Issue, actor: User | None, **fields: Any) -> IssueActivity:
    given = {"verb": "updated", "field": "priority", "old_value": "low", "new_value": "high", **fields}
    return IssueActivity.objects.create(
        workspace=issue.workspace, project=issue.project, issue=issue, actor=actor, **given
    )


def make_log(
    receiver: User,
    activity: IssueActivity | None,
    *,
    created_at: datetime = NOW - timedelta(seconds=301),
    mention: bool = False,
    **fields: Any,
) -> EmailNotificationLog:
    """A waiting line; by default old enough for any window."""
    data = {
        "issue_activity": {
            "id": str(activity.id if activity else uuid4()),
            "field": "mention" if mention else activity and activity.field,
        }
    }
    given = {
        "entity_name": "issue",
        "entity_identifier": activity.issue_id if activity else None,
        "triggered_by": (activity.actor if activity else None) or receiver,
        "data": data,
        **fields,
    }
    return EmailNotificationLog.objects.create(receiver=receiver, created_at=created_at, **given)


def make_digest(receiver: User, issue: Issue) -> EmailDigest:
    """A digest of one line, about a change of the issue by its creator."""
    log = make_log(receiver, make_activity(issue, issue.created_by))
    digest = EmailDigest.objects.create(id=uuid4(), receiver=receiver, issue=issue)
    EmailDigestLine.objects.create(digest=digest, log=log)
    return digest


def mailed(at: datetime) -> None:
    """Let all digests that are open have been mailed at that moment."""
    passed = {"sealed_at": at, "content": b"frozen", "dot_at": at}
    open_ones = EmailDigest.objects.filter(ended_at=None)
    open_ones.update(status=DigestStatus.SENT, started_at=at, ended_at=at, **passed)


def only_digest() -> EmailDigest:
    return EmailDigest.objects.get()
