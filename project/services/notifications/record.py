"""Writes what happened to issues: their activities, in order, and the events that name them."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID, uuid4

from django.db.models import OuterRef, Subquery

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
    LINK_CREATED = "link.activity.created"
    LINK_UPDATED = "link.activity.updated"
    LINK_DELETED = "link.activity.deleted"
    ATTACHMENT_CREATED = "attachment.activity.created"
    ATTACHMENT_DELETED = "attachment.activity.deleted"
    RELATION_CREATED = "issue_relation.activity.created"
    RELATION_DELETED = "issue_relation.activity.deleted"
    CYCLE_CREATED = "cycle.activity.created"
    CYCLE_DELETED = "cycle.activity.deleted"
    MODULE_CREATED = "module.activity.created"
    MODULE_DELETED = "module.activity.deleted"


class Happening(NamedTuple):
    """What is to be told of one issue.

    Of `activities` there is at least one; a new one has its verb, field, values and comment, the rest is filled
    in. `mentioned` are the ids of those whom this event mentions and who were not mentioned before.
    """

    issue: Issue
    activities: list[IssueActivity]
    mentioned: Sequence[UUID] = ()


def locked(issue_id: UUID) -> Issue:
    """Return a live issue with its project; other writers of it wait for the end of the caller's transaction.

    Raises:
        Issue.DoesNotExist: also if it was deleted while we waited.
    """
    issues = locked_all([issue_id])
    if not issues:
        raise Issue.DoesNotExist
    return issues[0]


def locked_all(issue_ids: Iterable[UUID]) -> list[Issue]:
    """Return those of the issues that are live, with their projects, locked like a single one.

    They come, and are locked, in the order of their ids. Whoever locks several does it in one call, so that no
    two wait for each other.
    """
    # NO KEY: rows that merely refer to an issue (its sub-issues', its subscribers') are not kept waiting.
    # Nothing is joined that can change: of a row that was waited for, the join would show what it was before.
    rows = Issue.objects.select_for_update(of=("self",), no_key=True).select_related("project")
    return list(rows.filter(id__in=set(issue_ids)).order_by("id"))


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
    """Write what happened to one issue, as `record_all` does."""
    [wake] = record_all(kind, [Happening(issue, [*activities], mentioned)], actor=actor, now=now)
    return wake


def record_all(
    kind: EventKind,
    happenings: Collection[Happening],
    *,
    actor: User | None,
    now: datetime,
    bulk_id: UUID | None = None,
) -> list[Wake]:
    """Write an event for each of `happenings`, and their new activities, in the caller's transaction.

    The caller holds the locks of the issues, so that the activities' times follow those written before, whatever
    the clocks of the hosts say. Three queries, whatever the number.

    Args:
        kind: what happened.
        happenings: to which issues; each issue once.
        actor: by whom; None if a rule of the project did it.
        now: when.
        bulk_id: names the act that these events are a part of, together with others, so that mails can fold
            them; None if they are told one by one.
    """
    starts = _starts([happening.issue for happening in happenings], now)
    new, events = [], []
    for happening in happenings:
        issue, start = happening.issue, starts[happening.issue.id]
        added = [activity for activity in happening.activities if activity._state.adding]
        for position, activity in enumerate(added):
            _place(activity, issue, actor, start + position * STEP)
        new += added
        event = _event(kind, happening, start)
        event.actor, event.bulk_id, event.enqueued_at = actor, bulk_id, now
        events.append(event)
    IssueActivity.objects.bulk_create(new)
    IssueEvent.objects.bulk_create(events)
    return [Wake(event.id, event.dispatch) for event in events]


def name_of_act(issues: Collection[Issue]) -> UUID | None:
    """Name an act on several issues, for their events' `bulk_id`; one on a single issue needs no name."""
    return uuid4() if len(issues) > 1 else None


def touch(issues: Collection[Issue], *, now: datetime) -> None:
    """Note that something happened to `issues`, whose own columns stay as they are."""
    Issue.objects.filter(id__in=[issue.id for issue in issues]).update(updated_at=now)


def _event(kind: EventKind, happening: Happening, occurred_at: datetime) -> IssueEvent:
    return IssueEvent(
        workspace_id=happening.issue.workspace_id,
        project_id=happening.issue.project_id,
        issue=happening.issue,
        kind=kind,
        activity_ids=[activity.id for activity in happening.activities],
        mentioned_ids=list(happening.mentioned),
        occurred_at=occurred_at,
    )


def _starts(issues: Sequence[Issue], now: datetime) -> dict[UUID, datetime]:
    """Return, for each issue, the time of its next activity."""
    newest = IssueActivity.all_objects.filter(issue=OuterRef("pk")).order_by("-created_at")
    rows = Issue.all_objects.filter(id__in=[issue.id for issue in issues])
    last = rows.values_list("id", Subquery(newest.values("created_at")[:1]))
    return {id_: max(now, at + STEP) if at else now for id_, at in last}


def _place(activity: IssueActivity, issue: Issue, actor: User | None, at: datetime) -> None:
    activity.issue = issue
    activity.project_id, activity.workspace_id = issue.project_id, issue.workspace_id
    activity.actor = activity.created_by = activity.updated_by = actor
    activity.created_at, activity.epoch = at, at.timestamp()
