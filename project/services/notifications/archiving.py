"""Archives issues that are done with, and restores them."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import prefetch_related_objects

from project.models import Issue, IssueActivity, Project, User, Wake
from project.services.notifications.automation import DONE, Automation
from project.services.notifications.columns import key_of, save_columns
from project.services.notifications.many import locked_of
from project.services.notifications.record import (
    EventKind,
    Happening,
    locked,
    name_of_act,
    record,
    record_all,
)
from project.services.notifications.references import RefusedError


@transaction.atomic(durable=True)
def archive(issue_id: UUID, *, by: User | Automation, now: datetime) -> list[Wake]:
    """Archive an issue; one that is archived already stays as it is, and there is no event.

    People archive what is done with. A rule, too, and it leaves alone what was reopened or touched meanwhile.

    Raises:
        Issue.DoesNotExist: also if it was deleted.
        RefusedError: if a person wants to archive what is not done with.
    """
    issue = locked(issue_id)
    if isinstance(by, Automation):
        issues = [] if by.spares(issue) or not _done_with(issue) else [issue]
        return _archive(issues, "archive", by.why, actor=None, now=now, bulk_id=by.run)
    return _archive(_wanted([issue], "state_id"), "manual_archive", "", actor=by, now=now)


@transaction.atomic(durable=True)
def archive_many(project: Project, issue_ids: Collection[UUID], *, actor: User, now: datetime) -> list[Wake]:
    """Archive all of the issues or, if one may not be archived, none. A constant number of queries.

    Raises:
        RefusedError: if one is not of the project, or not done with.
    """
    issues = locked_of(project, issue_ids)
    prefetch_related_objects(issues, "state")
    wanted = _wanted(issues, "issue_ids")
    return _archive(wanted, "manual_archive", "", actor=actor, now=now, bulk_id=name_of_act(wanted))


@transaction.atomic(durable=True)
def restore(issue_id: UUID, *, actor: User, now: datetime) -> list[Wake]:
    """Take an issue out of the archive; one that is not there stays as it is, and there is no event.

    Raises:
        Issue.DoesNotExist: also if it was deleted.
    """
    issue = locked(issue_id)
    if not issue.archived_at:
        return []
    issue.archived_at = None
    save_columns([issue], ["archived_at"], actor=actor, now=now)
    activity = IssueActivity(
        verb="updated",
        field="archived_at",
        old_value="archive",
        new_value="restore",
        comment="restored the issue",
    )
    return [record(EventKind.ISSUE_UPDATED, issue, [activity], actor=actor, now=now)]


def _done_with(issue: Issue) -> bool:
    return issue.state is not None and issue.state.group in DONE


def _wanted(issues: Sequence[Issue], field: str) -> Sequence[Issue]:
    if open_ := [key_of(issue).text for issue in issues if not _done_with(issue)]:
        raise RefusedError(field, f"Only completed and cancelled issues can be archived: {', '.join(open_)}.")
    return issues


def _archive(
    issues: Sequence[Issue],
    value: str,
    why: str,
    *,
    actor: User | None,
    now: datetime,
    bulk_id: UUID | None = None,
) -> list[Wake]:
    fresh = [issue for issue in issues if not issue.archived_at]
    for issue in fresh:
        issue.archived_at = now.date()
    save_columns(fresh, ["archived_at"], actor=actor, now=now)
    told = [
        Happening(
            issue,
            [
                IssueActivity(
                    verb="updated",
                    field="archived_at",
                    new_value=value,
                    comment=f"archived the issue {why}".rstrip(),
                )
            ],
        )
        for issue in fresh
    ]
    return record_all(EventKind.ISSUE_UPDATED, told, actor=actor, now=now, bulk_id=bulk_id)
