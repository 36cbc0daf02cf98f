"""Changes of an issue's plain columns, each with the activity that tells of it in Plane's words."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import NamedTuple, TypedDict
from uuid import UUID

from project.models import Issue, IssueActivity, StateGroup
from project.services.notifications.references import RefusedError, parent_of, state_of

_SIMPLE = {
    "name": "updated the name to",
    "priority": "updated the priority to",
    "target_date": "updated the target date to",
    "start_date": "updated the start date to ",
}


class IssueValues(TypedDict, total=False):
    """What can be set on an issue; what is absent stays as it is."""

    name: str
    parent_id: UUID | None
    priority: str
    state_id: UUID
    description_html: str
    target_date: date | None
    start_date: date | None
    label_ids: list[UUID]
    assignee_ids: list[UUID]


class Value(NamedTuple):
    """One side of a change, as an activity keeps it; by default, nothing."""

    text: str = ""
    id: UUID | None = None


def changed(field: str, comment: str, old: Value, new: Value) -> IssueActivity:
    """Return the activity of a changed field, for `record` to complete and write."""
    return IssueActivity(
        verb="updated",
        field=field,
        comment=comment,
        old_value=old.text,
        new_value=new.text,
        old_identifier=old.id,
        new_identifier=new.id,
    )


def change_columns(issue: Issue, values: IssueValues, *, now: datetime) -> list[IssueActivity]:
    """Set name, parent, priority, state and dates on `issue`, unsaved; return an activity for each new value.

    Raises:
        RefusedError: if the state or the parent is not of the project, or the dates are in the wrong order.
    """
    activities = [*_simple(issue, values, "name")]
    if "parent_id" in values:
        activities += _parent(issue, values["parent_id"])
    activities += _simple(issue, values, "priority")
    if "state_id" in values:
        activities += _state(issue, values["state_id"], now)
    activities += _simple(issue, values, "target_date")
    activities += _simple(issue, values, "start_date")
    _check_dates(issue, values)
    return activities


def _simple(issue: Issue, values: IssueValues, column: str) -> Iterator[IssueActivity]:
    old = getattr(issue, column)
    new = values.get(column, old)
    if new != old:
        setattr(issue, column, new)
        yield changed(column, _SIMPLE[column], Value(str(old or "")), Value(str(new or "")))


def _parent(issue: Issue, parent_id: UUID | None) -> Iterator[IssueActivity]:
    if parent_id != issue.parent_id:
        old, new = issue.parent, parent_of(issue, parent_id) if parent_id else None
        issue.parent = new
        yield changed("parent", "updated the parent issue to", _numbered(issue, old), _numbered(issue, new))


def _numbered(issue: Issue, other: Issue | None) -> Value:
    return Value(f"{issue.project.identifier}-{other.sequence_id}", other.id) if other else Value()


def _state(issue: Issue, state_id: UUID, now: datetime) -> Iterator[IssueActivity]:
    if state_id != issue.state_id:
        old, new = issue.state, state_of(issue.project, state_id)
        issue.state = new
        # A move between two completed states does not complete the issue once more.
        issue.completed_at = issue.completed_at or now if new.group == StateGroup.COMPLETED else None
        before = Value(old.name, old.id) if old else Value()
        yield changed("state", "updated the state to", before, Value(new.name, new.id))


def _check_dates(issue: Issue, values: IssueValues) -> None:
    given = [field for field in ("start_date", "target_date") if field in values]
    if given and issue.start_date and issue.target_date and issue.start_date > issue.target_date:
        raise RefusedError(given[0], "The start date cannot be later than the target date.")
