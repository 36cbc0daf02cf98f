"""Makes events as the writer of changes leaves them behind: with their activities, not yet fanned out."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from project.models import Issue, IssueActivity, IssueEvent, User

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def make_event(
    issue: Issue,
    actor: User | None,
    *changes: dict[str, Any],
    kind: str = "issue.activity.updated",
    mentioned: Iterable[UUID] = (),
) -> IssueEvent:
    """An event of `actor` with one activity for each of `changes`, in this order."""
    place = {"workspace": issue.workspace, "project": issue.project, "issue": issue, "actor": actor}
    written = IssueActivity.objects.filter(issue=issue).count()
    activities = [
        IssueActivity.objects.create(
            **{**place, "verb": "updated", "created_at": NOW + timedelta(microseconds=n), **change}
        )
        for n, change in enumerate(changes, start=written)
    ]
    return IssueEvent.objects.create(
        **place,
        kind=kind,
        activity_ids=[activity.id for activity in activities],
        mentioned_ids=list(mentioned),
        occurred_at=NOW,
    )


CREATED = {"field": None, "verb": "created", "comment": "created the issue"}
RENAMED = {"field": "name", "old_value": "Door", "new_value": "Gate", "comment": "updated the name to"}
DESCRIBED = {
    "field": "description",
    "old_value": "<p></p>",
    "new_value": "<p>Look</p>",
    "comment": "updated the description to",
}
COMMENTED = {"field": "comment", "verb": "created", "new_value": "<p>Hi</p>", "comment": "created a comment"}
DELETED = {"field": "issue", "verb": "deleted", "comment": "deleted the issue"}


def assigned(user: User) -> dict[str, Any]:
    """The change that adds an assignee."""
    return {
        "field": "assignees",
        "new_value": user.display_name,
        "new_identifier": user.id,
        "comment": "added assignee ",
    }
