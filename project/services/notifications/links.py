"""Labels, assignees, cycles and modules of issues: rows that come and go, each with its own activity."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from project.models import (
    CycleIssue,
    Issue,
    IssueActivity,
    IssueAssignee,
    IssueLabel,
    ModuleIssue,
    Project,
    User,
)
from project.services.notifications.columns import Value, changed
from project.services.notifications.references import assignee_names, cycle_names, label_names, module_names


@dataclass(frozen=True, kw_only=True)
class Linked:
    """A kind of link.

    Attributes:
        key: its name in `IssueValues`.
        model: its rows.
        column: of the rows: what is linked.
        name: the path to the name of what is linked.
        names: looks names up, refusing what cannot be linked.
        field, added, removed, verbs: Plane's words for its activities; the verbs for one added, one removed.
    """

    key: Literal["label_ids", "assignee_ids", "cycle_ids", "module_ids"]
    model: type[IssueLabel] | type[IssueAssignee] | type[CycleIssue] | type[ModuleIssue]
    column: str
    name: str
    names: Callable[[Project, Collection[UUID]], dict[UUID, str]]
    field: str
    added: str
    removed: str
    verbs: tuple[str, str] = ("updated", "updated")


LABELS = Linked(
    key="label_ids",
    model=IssueLabel,
    column="label_id",
    name="label__name",
    names=label_names,
    field="labels",
    added="added label ",
    removed="removed label ",
)
ASSIGNEES = Linked(
    key="assignee_ids",
    model=IssueAssignee,
    column="assignee_id",
    name="assignee__display_name",
    names=assignee_names,
    field="assignees",
    added="added assignee ",
    removed="removed assignee ",
)
CYCLES = Linked(
    key="cycle_ids",
    model=CycleIssue,
    column="cycle_id",
    name="cycle__name",
    names=cycle_names,
    field="cycles",
    added="added to the cycle ",
    removed="removed from the cycle ",
    verbs=("created", "deleted"),
)
MODULES = Linked(
    key="module_ids",
    model=ModuleIssue,
    column="module_id",
    name="module__name",
    names=module_names,
    field="modules",
    added="added to the module ",
    removed="removed from the module ",
    verbs=("created", "deleted"),
)


def relink(
    linked: Linked,
    issues: Sequence[Issue],
    wanted: Iterable[UUID],
    *,
    actor: User,
    now: datetime,
    unwanted: Collection[UUID] | None = None,
) -> dict[UUID, list[IssueActivity]]:
    """Let the `wanted` be linked to each of the issues (of one project, at least one), and the `unwanted` not.

    Without `unwanted`, nothing else stays linked. What is linked already may stay, even if it could not be added
    any more. Four queries at most, whatever the numbers.

    Returns:
        For each issue, by its id, an activity for each link added or removed.

    Raises:
        RefusedError: if one to be added is not of the project.
    """
    wanted = list(dict.fromkeys(wanted))
    current = _current(linked, issues)
    missing = [id_ for id_ in wanted if any(id_ not in linked_ids for linked_ids in current.values())]
    names = linked.names(issues[0].project, missing) if missing else {}
    added = {issue.id: [id_ for id_ in wanted if id_ not in current[issue.id]] for issue in issues}
    linked_now = {id_ for links in current.values() for id_ in links}
    gone = linked_now - set(wanted) if unwanted is None else linked_now & set(unwanted)
    _remove(linked, issues, gone, now)
    _add(linked, issues, added, actor, now)
    return {
        issue.id: [
            *(_added(linked, Value(names[id_], id_)) for id_ in added[issue.id]),
            *(_removed(linked, Value(name, id_)) for id_, name in current[issue.id].items() if id_ in gone),
        ]
        for issue in issues
    }


def _added(linked: Linked, value: Value) -> IssueActivity:
    return changed(linked.field, linked.added, Value(), value, verb=linked.verbs[0])


def _removed(linked: Linked, value: Value) -> IssueActivity:
    return changed(linked.field, linked.removed, value, Value(), verb=linked.verbs[1])


def _current(linked: Linked, issues: Sequence[Issue]) -> dict[UUID, dict[UUID, str]]:
    rows = linked.model.objects.filter(issue__in=issues).order_by(linked.name)
    current: dict[UUID, dict[UUID, str]] = {issue.id: {} for issue in issues}
    for issue_id, id_, name in rows.values_list("issue_id", linked.column, linked.name):
        current[issue_id][id_] = name
    return current


def _remove(linked: Linked, issues: Sequence[Issue], ids: Collection[UUID], now: datetime) -> None:
    if ids:
        rows = linked.model.objects.filter(issue__in=issues, **{f"{linked.column}__in": ids})
        rows.update(deleted_at=now, updated_at=now)


def _add(
    linked: Linked, issues: Sequence[Issue], added: dict[UUID, list[UUID]], actor: User, now: datetime
) -> None:
    rows: list[Any] = [
        linked.model(
            **{linked.column: id_},
            issue=issue,
            project_id=issue.project_id,
            workspace_id=issue.workspace_id,
            created_at=now,
            created_by=actor,
            updated_by=actor,
        )
        for issue in issues
        for id_ in added[issue.id]
    ]
    linked.model.objects.bulk_create(rows)
