"""Plans issues for a cycle, puts them into modules, and takes them out."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from project.models import Cycle, Issue, IssueActivity, Module, Project, User, Wake
from project.services.notifications.links import CYCLES, MODULES, Linked, relink
from project.services.notifications.many import locked_of
from project.services.notifications.record import (
    EventKind,
    Happening,
    locked,
    name_of_act,
    record,
    record_all,
    touch,
)
from project.services.notifications.references import RefusedError


@dataclass(frozen=True)
class Grouping:
    """Cycles or modules. `alone`: an issue is in one at most, so that another takes its place."""

    model: type[Cycle] | type[Module]
    linked: Linked
    came: EventKind
    left: EventKind
    alone: bool


CYCLE = Grouping(Cycle, CYCLES, EventKind.CYCLE_CREATED, EventKind.CYCLE_DELETED, alone=True)
MODULE = Grouping(Module, MODULES, EventKind.MODULE_CREATED, EventKind.MODULE_DELETED, alone=False)


@transaction.atomic(durable=True)
def put_in(
    grouping: Grouping,
    group_id: UUID,
    project: Project,
    issue_ids: Collection[UUID],
    *,
    actor: User,
    now: datetime,
) -> list[Wake]:
    """Put all of the issues into a cycle or module of the project; those that are there leave no trace.

    A constant number of queries.

    Raises:
        RefusedError: if one of the issues, or the cycle or module, is not of the project.
    """
    issues = locked_of(project, issue_ids, "issues")
    unwanted = None if grouping.alone else ()
    links = relink(grouping.linked, issues, [group_id], unwanted=unwanted, actor=actor, now=now)
    moved = [issue for issue in issues if links[issue.id]]
    touch(moved, now=now)
    told = [Happening(issue, links[issue.id]) for issue in moved]
    return record_all(grouping.came, told, actor=actor, now=now, bulk_id=name_of_act(moved))


@transaction.atomic(durable=True)
def take_out(grouping: Grouping, group_id: UUID, issue_id: UUID, *, actor: User, now: datetime) -> list[Wake]:
    """Take an issue out of a cycle or module; if it is not there, that is fine, and there is no event.

    Raises:
        Issue.DoesNotExist: if there is no such issue any more.
    """
    issue = locked(issue_id)
    activities = relink(grouping.linked, [issue], [], unwanted=[group_id], actor=actor, now=now)[issue_id]
    return _told(grouping.left, issue, activities, actor, now)


@transaction.atomic(durable=True)
def change_modules(
    issue_id: UUID, added: Collection[UUID], removed: Collection[UUID], *, actor: User, now: datetime
) -> list[Wake]:
    """Put an issue into some modules and take it out of others, as one event.

    Raises:
        Issue.DoesNotExist: if there is no such issue any more.
        RefusedError: if one to be added is not of the project.
    """
    issue = locked(issue_id)
    try:
        activities = relink(MODULES, [issue], added, unwanted=removed, actor=actor, now=now)[issue_id]
    except RefusedError as refused:
        raise RefusedError("modules", str(refused)) from refused
    kind = MODULE.came if added else MODULE.left
    return _told(kind, issue, activities, actor, now)


def _told(
    kind: EventKind, issue: Issue, activities: list[IssueActivity], actor: User, now: datetime
) -> list[Wake]:
    if not activities:
        return []
    touch([issue], now=now)
    return [record(kind, issue, activities, actor=actor, now=now)]
