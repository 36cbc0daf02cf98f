"""Writes what happened to an issue: its activities, in order, and the event that names them."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from project.models import Issue, IssueActivity, IssueEvent, User, Wake

STEP = timedelta(microseconds=1)  # the smallest difference that PostgreSQL's timestamps know


class EventKind(StrEnum):
    """What can happen to an issue, in Plane's words."""

    ISSUE_CREATED = "issue.activity.created"
    ISSUE_UPDATED = "issue.activity.updated"
    ISSUE_DELETED = "issue.activity.deleted"
    COMMENT_CREATED = "comment.activity.created"
    COMMENT_UPDATED = "comment.activity.updated"
    COMMENT_DELETED = "comment.activity.deleted"


def locked(issue_id: UUID) -> Issue:
    """Return a live issue with its project; other writers of it wait for the end of the caller's transaction.

    Raises:
        Issue.DoesNotExist: also if it was deleted while we waited.
    """
    # NO KEY: rows that merely refer to the issue (its sub-issues', its subscribers') are neither kept waiting
    # nor can two issues that become each other's parent deadlock.
    rows = Issue.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("project").get(id=issue_id)


def newest_activity(issue: Issue) -> IssueActivity | None:
    """Return the issue's last activity, without its values, which may be long."""
    rows = IssueActivity.all_objects.filter(issue=issue).order_by("-created_at")
    return rows.only("created_at", "field", "actor").first()


def record(
    kind: EventKind,
    issue: Issue,
    activities: Sequence[IssueActivity],
    *,
    actor: User,
    now: datetime,
    mentioned: Sequence[UUID] = (),
) -> Wake:
    """Write the event of `activities`, and those of them that are new, in the caller's transaction.

    The caller holds the lock of `issue`, so that the activities' times follow those written before, whatever
    the clocks of the hosts say.

    Args:
        kind: what happened.
        issue: to what.
        activities: at least one; a new one has its verb, field, values and comment, the rest is filled in.
        actor: by whom.
        now: when.
        mentioned: ids of those whom this event mentions and who were not mentioned before.
    """
    last = newest_activity(issue)
    start = max(now, last.created_at + STEP) if last else now
    new = [activity for activity in activities if activity._state.adding]
    for position, activity in enumerate(new):
        _place(activity, issue, actor, start + position * STEP)
    IssueActivity.objects.bulk_create(new)
    event = IssueEvent.objects.create(
        workspace_id=issue.workspace_id,
        project_id=issue.project_id,
        issue=issue,
        actor=actor,
        kind=kind,
        activity_ids=[activity.id for activity in activities],
        mentioned_ids=list(mentioned),
        occurred_at=start,
        enqueued_at=now,
    )
    return Wake(event.id, event.dispatch)


def _place(activity: IssueActivity, issue: Issue, actor: User, at: datetime) -> None:
    activity.issue = issue
    activity.project_id, activity.workspace_id = issue.project_id, issue.workspace_id
    activity.actor = activity.created_by = activity.updated_by = actor
    activity.created_at, activity.epoch = at, at.timestamp()
