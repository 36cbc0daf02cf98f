"""Labels and assignees of an issue: rows that come and go one by one, each with its own activity."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from project.models import Issue, IssueActivity, IssueAssignee, IssueLabel, Project, User
from project.services.notifications.columns import Value, changed
from project.services.notifications.references import assignee_names, label_names


@dataclass(frozen=True)
class Linked:
    """A kind of link: its rows, the column and the name of what is linked, and Plane's words for it."""

    model: type[IssueLabel] | type[IssueAssignee]
    column: str
    name: str
    names: Callable[[Project, Collection[UUID]], dict[UUID, str]]
    field: str
    noun: str


LABELS = Linked(IssueLabel, "label_id", "label__name", label_names, "labels", "label")
ASSIGNEES = Linked(
    IssueAssignee, "assignee_id", "assignee__display_name", assignee_names, "assignees", "assignee"
)


def relink(
    linked: Linked, issue: Issue, wanted: Sequence[UUID], *, actor: User, now: datetime
) -> list[IssueActivity]:
    """Let exactly the `wanted` be linked to `issue`; return an activity for each one added or removed.

    What is linked already may stay, even if it could not be added any more.

    Raises:
        RefusedError: if one to be added is not of the project.
    """
    current = _current(linked, issue)
    added = linked.names(issue.project, [id_ for id_ in dict.fromkeys(wanted) if id_ not in current])
    removed = {id_: name for id_, name in current.items() if id_ not in wanted}
    _remove(linked, issue, removed, now)
    _add(linked, issue, added, actor, now)
    return [
        *(
            changed(linked.field, f"added {linked.noun} ", Value(), Value(name, id_))
            for id_, name in added.items()
        ),
        *(
            changed(linked.field, f"removed {linked.noun} ", Value(name, id_), Value())
            for id_, name in removed.items()
        ),
    ]


def _current(linked: Linked, issue: Issue) -> dict[UUID, str]:
    rows = linked.model.objects.filter(issue=issue).order_by(linked.name)
    return dict(rows.values_list(linked.column, linked.name))


def _remove(linked: Linked, issue: Issue, ids: Collection[UUID], now: datetime) -> None:
    if ids:
        rows = linked.model.objects.filter(issue=issue, **{f"{linked.column}__in": ids})
        rows.update(deleted_at=now, updated_at=now)


def _add(linked: Linked, issue: Issue, ids: Collection[UUID], actor: User, now: datetime) -> None:
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
        for id_ in ids
    ]
    linked.model.objects.bulk_create(rows)
