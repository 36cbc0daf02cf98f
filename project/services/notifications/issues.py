"""Creates, changes and deletes issues: the change, its activities and its event in one transaction."""

from datetime import datetime
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Max

from project.models import Issue, IssueActivity, Project, User, Wake
from project.services.notifications.columns import IssueValues, change_columns
from project.services.notifications.description import describe, keep_mentions, redescribe
from project.services.notifications.links import ASSIGNEES, LABELS, relink
from project.services.notifications.record import EventKind, locked, record
from project.services.notifications.references import assignable, default_state

CHANGEABLE = (
    "name",
    "parent_id",
    "priority",
    "state_id",
    "completed_at",
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
    change_columns(issue, values, now=now)
    mentioned = describe(issue, values.get("description_html", issue.description_html))
    issue.sequence_id = _next_number(project)
    issue.save(force_insert=True)
    keep_mentions(issue, actor=actor, now=now)
    relink(LABELS, issue, values.get("label_ids", []), actor=actor, now=now)
    assignees = values.get("assignee_ids") or _default_assignees(project)
    activities = [
        IssueActivity(verb="created", comment="created the issue"),
        *relink(ASSIGNEES, issue, assignees, actor=actor, now=now),
    ]
    wake = record(EventKind.ISSUE_CREATED, issue, activities, actor=actor, now=now, mentioned=mentioned)
    return issue, [wake]


@transaction.atomic(durable=True)
def update_issue(issue_id: UUID, values: IssueValues, *, actor: User, now: datetime) -> list[Wake]:
    """Change an issue; values that are what they were leave no trace, and if all are, there is no event.

    Raises:
        Issue.DoesNotExist: also if it was deleted.
        RefusedError: if a value is not of the project, or the dates are in the wrong order.
    """
    issue = locked(issue_id)
    activities, mentioned = change_columns(issue, values, now=now), list[UUID]()
    if "description_html" in values:
        edits, mentioned = redescribe(issue, values["description_html"], actor=actor, now=now)
        activities += edits
    if "label_ids" in values:
        activities += relink(LABELS, issue, values["label_ids"], actor=actor, now=now)
    if "assignee_ids" in values:
        activities += relink(ASSIGNEES, issue, values["assignee_ids"], actor=actor, now=now)
    if not activities:
        return []
    columns = {column: getattr(issue, column) for column in CHANGEABLE}
    Issue.objects.filter(id=issue_id).update(**columns, updated_at=now, updated_by=actor)
    return [record(EventKind.ISSUE_UPDATED, issue, activities, actor=actor, now=now, mentioned=mentioned)]


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


def _next_number(project: Project) -> int:
    """Take the project's next number; others who want one wait for the end of this transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [str(project.id)])
    newest = Issue.all_objects.filter(project=project).aggregate(newest=Max("sequence_id"))["newest"]
    return (newest or 0) + 1


def _default_assignees(project: Project) -> list[UUID]:
    members = assignable(project).filter(member=project.default_assignee_id)
    return [user for user in members.values_list("member_id", flat=True) if user is not None]
