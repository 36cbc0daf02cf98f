"""Adds, changes and removes the web addresses that belong to an issue."""

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from django.db import transaction

from project.models import Issue, IssueActivity, IssueLink, User, Wake
from project.services.notifications.columns import Value, changed
from project.services.notifications.record import EventKind, locked, record, touch
from project.services.notifications.references import RefusedError

FIELD = "link"


class LinkValues(TypedDict, total=False):
    """What can be set on a link; what is absent stays as it is."""

    url: str
    title: str | None


@transaction.atomic(durable=True)
def add_link(
    issue_id: UUID, values: LinkValues, *, actor: User, now: datetime
) -> tuple[IssueLink, list[Wake]]:
    """Add a link; `values` holds at least the address.

    Raises:
        Issue.DoesNotExist: if there is no such issue any more.
        RefusedError: if the issue has that address already.
    """
    issue = locked(issue_id)
    _refuse_repeated(issue, values["url"])
    link = IssueLink(**values, issue=issue, project_id=issue.project_id, workspace_id=issue.workspace_id)
    link.created_at, link.created_by, link.updated_by = now, actor, actor
    link.save(force_insert=True)
    added = changed(FIELD, "created a link", Value(), Value(link.url, link.id), verb="created")
    return link, [_record(EventKind.LINK_CREATED, issue, added, actor, now)]


@transaction.atomic(durable=True)
def change_link(
    issue_id: UUID, link_id: UUID, values: LinkValues, *, actor: User, now: datetime
) -> list[Wake]:
    """Change a link. As in Plane, another title is saved but no news: there is an event if the address changed.

    Raises:
        Issue.DoesNotExist, IssueLink.DoesNotExist: also if it was deleted.
        RefusedError: if the issue has that address already.
    """
    issue = locked(issue_id)
    link = IssueLink.objects.get(issue=issue, id=link_id)
    old, new = link.url, values.get("url", link.url)
    if new != old:
        _refuse_repeated(issue, new)
    IssueLink.objects.filter(id=link_id).update(**values, updated_at=now, updated_by=actor)
    if new == old:
        return []
    moved = changed(FIELD, "updated a link", Value(old, link_id), Value(new, link_id))
    return [_record(EventKind.LINK_UPDATED, issue, moved, actor, now)]


@transaction.atomic(durable=True)
def remove_link(issue_id: UUID, link_id: UUID, *, actor: User, now: datetime) -> list[Wake]:
    """Delete a link softly.

    Raises:
        Issue.DoesNotExist, IssueLink.DoesNotExist: also if it was deleted before.
    """
    issue = locked(issue_id)
    link = IssueLink.objects.get(issue=issue, id=link_id)
    IssueLink.objects.filter(id=link_id).update(deleted_at=now, updated_at=now, updated_by=actor)
    removed = changed(FIELD, "deleted the link", Value(link.url, link.id), Value(), verb="deleted")
    return [_record(EventKind.LINK_DELETED, issue, removed, actor, now)]


def _refuse_repeated(issue: Issue, url: str) -> None:
    if IssueLink.objects.filter(issue=issue, url=url).exists():
        raise RefusedError("url", "This issue has this link already.")


def _record(kind: EventKind, issue: Issue, activity: IssueActivity, actor: User, now: datetime) -> Wake:
    touch([issue], now=now)
    return record(kind, issue, [activity], actor=actor, now=now)
