"""What can be set on an issue, and what the ids among it refer to."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Literal, NamedTuple, TypedDict, TypeVar
from uuid import UUID

from project.models import EstimatePoint, Issue, Project, State
from project.services.notifications.references import estimate_point_of, parent_of, state_of

T = TypeVar("T")

_Column = Literal["state_id", "parent_id", "estimate_point_id"]


class IssueValues(TypedDict, total=False):
    """What can be set on an issue; what is absent stays as it is."""

    name: str
    parent_id: UUID | None
    priority: str
    state_id: UUID
    estimate_point_id: UUID | None
    description_html: str
    target_date: date | None
    start_date: date | None
    label_ids: list[UUID]
    assignee_ids: list[UUID]
    cycle_ids: list[UUID]
    module_ids: list[UUID]


class Targets(NamedTuple):
    """What the ids of `IssueValues` refer to; None where nothing is set, or every issue has it already."""

    state: State | None = None
    parent: Issue | None = None
    estimate_point: EstimatePoint | None = None


def targets_of(issues: Sequence[Issue], values: IssueValues) -> Targets:
    """Look up, once for all `issues` (of one project, at least one), what is to be set on them.

    What all of them have already may stay, even if it could not be chosen any more.

    Raises:
        RefusedError: if something is not of the project.
    """

    def found(column: _Column, look_up: Callable[[Project, UUID], T]) -> T | None:
        id_ = values.get(column)
        if id_ is None or all(getattr(issue, column) == id_ for issue in issues):
            return None
        return look_up(issues[0].project, id_)

    return Targets(
        state=found("state_id", state_of),
        parent=found("parent_id", parent_of),
        estimate_point=found("estimate_point_id", estimate_point_of),
    )
