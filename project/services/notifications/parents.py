"""Sub-issues. When an issue gets another parent, both parents hear of it as well as the issue itself."""

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from django.db import transaction

from project.models import Issue, User, Wake
from project.services.notifications.ancestors import refuse_loops
from project.services.notifications.columns import Value, change_columns, changed, key_of, save_columns
from project.services.notifications.record import EventKind, Happening, locked_all, record_all
from project.services.notifications.references import unknown
from project.services.notifications.turn import take_turn
from project.services.notifications.values import IssueValues, Targets

FIELD = "sub_issues"


@transaction.atomic(durable=True)
def adopt(parent: Issue, child_ids: Collection[UUID], *, actor: User, now: datetime) -> list[Wake]:
    """Make issues the sub-issues of `parent`; those that are so already leave no trace.

    A constant number of queries.

    Raises:
        RefusedError: if one is not of the project, is the parent itself, or stands above it.
        Issue.DoesNotExist: if the parent was deleted meanwhile.
    """
    family = locked_family(parent.project_id, child_ids, parent.id)
    if parent.id not in family:
        raise Issue.DoesNotExist
    own = {id_ for id_, issue in family.items() if issue.project_id == parent.project_id}
    if missing := [id_ for id_ in child_ids if id_ not in own]:
        raise unknown("sub_issue_ids", missing)
    values, targets = IssueValues(parent_id=parent.id), Targets(parent=family[parent.id])
    children = [family[id_] for id_ in dict.fromkeys(child_ids)]
    before = {child.id: child.parent for child in children}
    told = [Happening(child, change_columns(child, values, targets, now=now)) for child in children]
    moved = [happening for happening in told if happening.activities]
    save_columns([child for child, *_ in moved], ["parent"], actor=actor, now=now)
    return record_all(EventKind.ISSUE_UPDATED, with_parents(moved, before), actor=actor, now=now)


def locked_family(project_id: UUID, issue_ids: Collection[UUID], parent_id: UUID | None) -> dict[UUID, Issue]:
    """Lock those of the issues that are live, the parents that they have, and the one that they are to get.

    Returns:
        All of them by their ids; each issue knows the locked row of its parent.

    Raises:
        RefusedError: if one of the issues stands above the parent that it is to get.
    """
    take_turn(project_id)
    parents = Issue.objects.filter(id__in=issue_ids).values_list("parent_id", flat=True)
    wanted = {*issue_ids, *parents, parent_id}
    family = {issue.id: issue for issue in locked_all(id_ for id_ in wanted if id_)}
    for issue in family.values():
        if issue.parent_id in family:
            issue.parent = family[issue.parent_id]
    if parent_id:
        refuse_loops(project_id, parent_id, [family[id_] for id_ in issue_ids if id_ in family])
    return family


def with_parents(moved: Iterable[Happening], before: dict[UUID, Issue | None]) -> list[Happening]:
    """Add what the parents hear to what is told of issues that moved; each issue is there once.

    Args:
        moved: the issues, with the parents that they have now.
        before: the parents that they had, by the ids of the issues.
    """
    told = {happening.issue.id: happening for happening in moved}
    for child in [happening.issue for happening in told.values()]:
        left, key = before[child.id], key_of(child)
        if left != child.parent:
            gone = changed(FIELD, "removed sub-issue ", key, Value())
            come = changed(FIELD, "added sub-issue ", Value(), key)
            for parent, activity in ((left, gone), (child.parent, come)):
                if parent and not parent.deleted_at:
                    told.setdefault(parent.id, Happening(parent, [])).activities.append(activity)
    return list(told.values())
