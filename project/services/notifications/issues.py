"""Creates, changes and deletes issues: the change, its activities and its event in one transaction."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from project.models import Issue, IssueActivity, Project, User, Wake
from project.services.notifications.columns import change_columns, save_columns
from project.services.notifications.description import describe, keep_mentions, redescribe
from project.services.notifications.links import ASSIGNEES, LABELS, relink
from project.services.notifications.parents import locked_family, with_parents
from project.services.notifications.record import EventKind, Happening, locked, record, record_all
from project.services.notifications.references import assignable, default_state
from project.services.notifications.values import IssueValues, targets_of

CHANGEABLE = (
    "name",
    "parent",
    "priority",
    "state",
    "completed_at",
    "estimate_point",
    "description_html",
    "description_stripped",
    "target_date",
    "start_date",
)


@transaction.atomic(durable=True)
def create_issue(
    project: Project, values: IssueValues, *, actor: User, now: datetime
) -> tuple[Issue, list[Wake]]:
    """Create an issue; without assignees it gets the project's default assignee, who is told like any other.

    `values` holds at least the name.

    Raises:
        RefusedError: if a value is not of the project, or the dates are in the wrong order.
    """
    issue = Issue(project=project, workspace_id=project.workspace_id, state=default_state(project))
    issue.created_at, issue.created_by, issue.updated_by = now, actor, actor
    locked_family(project.id, [], values.get("parent_id"))
    change_columns(issue, values, targets_of([issue], values), now=now)
    mentioned = describe(issue, values.get("description_html", issue.description_html))
    issue.sequence_id = _next_number(project)
    issue.save(force_insert=True)
    keep_mentions(issue, actor=actor, now=now)
    relink(LABELS, [issue], values.get("label_ids", []), actor=actor, now=now)
    assignees = values.get("assignee_ids") or _default_assignees(project)
    activities = [
        IssueActivity(verb="created", comment="created the issue"),
        *relink(ASSIGNEES, [issue], assignees, actor=actor, now=now)[issue.id],
    ]
    told = Happening(issue, activities, mentioned)
    created, *parents = with_parents([told], {issue.id: None})
    return issue, [
        *record_all(EventKind.ISSUE_CREATED, [created], actor=actor, now=now),
        *record_all(EventKind.ISSUE_UPDATED, parents, actor=actor, now=now),
    ]


@transaction.atomic(durable=True)
def update_issue(issue_id: UUID, values: IssueValues, *, actor: User, now: datetime) -> list[Wake]:
    """Change an issue; values that are what they were leave no trace, and if all are, there is no event.

    Raises:
        Issue.DoesNotExist: also if it was deleted.
        RefusedError: if a value is not of the project, the dates are in the wrong order, or the issue would be its
            own ancestor.
    """
    moves = "parent_id" in values
    issue = _locked_to_move(issue_id, values["parent_id"]) if moves else locked(issue_id)
    before = {issue_id: issue.parent} if moves else {}
    activities, mentioned = change_columns(issue, values, targets_of([issue], values), now=now), list[UUID]()
    if "description_html" in values:
        edits, mentioned = redescribe(issue, values["description_html"], actor=actor, now=now)
        activities += edits
    for linked in (LABELS, ASSIGNEES):
        if linked.key in values:
            activities += relink(linked, [issue], values[linked.key], actor=actor, now=now)[issue_id]
    if not activities:
        return []
    save_columns([issue], CHANGEABLE, actor=actor, now=now)
    told = [Happening(issue, activities, mentioned)]
    told = with_parents(told, before) if moves else told
    return record_all(EventKind.ISSUE_UPDATED, told, actor=actor, now=now)


@transaction.atomic(durable=True)
def delete_issue(issue_id: UUID, *, actor: User, now: datetime) -> list[Wake]:
    """Delete an issue softly: its rows stay, hidden.

    Raises:
        Issue.DoesNotExist: also if it was deleted before.
    """
    issue = locked(issue_id)
    Issue.objects.filter(id=issue_id).update(deleted_at=now, updated_at=now, updated_by=actor)
    deleted = IssueActivity(verb="deleted", field="issue", comment="deleted the issue")
    return [record(EventKind.ISSUE_DELETED, issue, [deleted], actor=actor, now=now)]


def _locked_to_move(issue_id: UUID, parent_id: UUID | None) -> Issue:
    project_id = Issue.objects.values_list("project_id", flat=True).get(id=issue_id)
    family = locked_family(project_id, [issue_id], parent_id)
    if issue_id not in family:
        raise Issue.DoesNotExist
    return family[issue_id]


def _next_number(project: Project) -> int:
    """Return the project's next number; it is the turn of this transaction."""
    newest = Issue.all_objects.filter(project=project).aggregate(newest=Max("sequence_id"))["newest"]
    return (newest or 0) + 1


def _default_assignees(project: Project) -> list[UUID]:
    members = assignable(project).filter(member=project.default_assignee_id)
    return [user for user in members.values_list("member_id", flat=True) if user is not None]
