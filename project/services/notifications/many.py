"""Changes many issues at once: all of them or, if one value is refused, none. Mails fold the events."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import prefetch_related_objects

from project.models import Issue, IssueActivity, Project, User, Wake
from project.services.notifications.columns import change_columns, key_of, save_columns
from project.services.notifications.links import ASSIGNEES, CYCLES, LABELS, MODULES, relink
from project.services.notifications.record import EventKind, Happening, locked_all, name_of_act, record_all
from project.services.notifications.references import RefusedError, unknown
from project.services.notifications.values import IssueValues, Targets, targets_of

#: The columns that each of the values is kept in.
_COLUMNS = {
    "priority": ("priority",),
    "state_id": ("state", "completed_at"),
    "estimate_point_id": ("estimate_point",),
    "target_date": ("target_date",),
    "start_date": ("start_date",),
}

#: Which links are to go when others come: an issue is in one cycle; of the rest it keeps what it has.
_UNWANTED = ((LABELS, ()), (ASSIGNEES, ()), (CYCLES, None), (MODULES, ()))


@transaction.atomic(durable=True)
def update_issues(
    project: Project, issue_ids: Collection[UUID], values: IssueValues, *, actor: User, now: datetime
) -> list[Wake]:
    """Set `values`, without name, description and parent, on all of the issues.

    Labels, assignees and modules come to those that an issue has; a cycle takes the place of its cycle. An issue
    that nothing changes on leaves no trace. A constant number of queries.

    Raises:
        RefusedError: if an issue or a value is not of the project, or an issue's dates would be in the wrong
            order.
    """
    issues = locked_of(project, issue_ids)
    prefetch_related_objects(issues, "state", "estimate_point__estimate")
    targets = targets_of(issues, values)
    told = {issue.id: _changed(issue, values, targets, now) for issue in issues}
    for linked, unwanted in _UNWANTED:
        if linked.key in values:
            links = relink(linked, issues, values[linked.key], unwanted=unwanted, actor=actor, now=now)
            for id_, activities in links.items():
                told[id_] += activities
    changed = [issue for issue in issues if told[issue.id]]
    columns = [column for value, columns in _COLUMNS.items() if value in values for column in columns]
    save_columns(changed, columns, actor=actor, now=now)
    happenings = [Happening(issue, told[issue.id]) for issue in changed]
    bulk_id = name_of_act(changed)
    return record_all(EventKind.ISSUE_UPDATED, happenings, actor=actor, now=now, bulk_id=bulk_id)


@transaction.atomic(durable=True)
def delete_issues(project: Project, issue_ids: Collection[UUID], *, actor: User, now: datetime) -> list[Wake]:
    """Delete all of the issues softly. A constant number of queries.

    Raises:
        RefusedError: if one is not of the project.
    """
    issues = locked_of(project, issue_ids)
    rows = Issue.objects.filter(id__in=[issue.id for issue in issues])
    rows.update(deleted_at=now, updated_at=now, updated_by=actor)
    told = [
        Happening(issue, [IssueActivity(verb="deleted", field="issue", comment="deleted the issue")])
        for issue in issues
    ]
    bulk_id = name_of_act(issues)
    return record_all(EventKind.ISSUE_DELETED, told, actor=actor, now=now, bulk_id=bulk_id)


def locked_of(project: Project, issue_ids: Collection[UUID], field: str = "issue_ids") -> list[Issue]:
    """Return the issues, locked in the order of their ids.

    Raises:
        RefusedError: if one is not a live issue of the project.
    """
    issues = [issue for issue in locked_all(issue_ids) if issue.project_id == project.id]
    found = {issue.id for issue in issues}
    if missing := [id_ for id_ in issue_ids if id_ not in found]:
        raise unknown(field, missing)
    return issues


def _changed(issue: Issue, values: IssueValues, targets: Targets, now: datetime) -> list[IssueActivity]:
    try:
        return change_columns(issue, values, targets, now=now)
    except RefusedError as refused:
        raise RefusedError(refused.field, f"{key_of(issue).text}: {refused}") from refused
