"""Changes of an issue's plain columns, each with the activity that tells of it in Plane's words."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from project.models import EstimatePoint, Issue, IssueActivity, State, StateGroup, User
from project.services.notifications.references import RefusedError
from project.services.notifications.values import IssueValues, Targets

_SIMPLE = {
    "name": "updated the name to",
    "priority": "updated the priority to",
    "target_date": "updated the target date to",
    "start_date": "updated the start date to ",
}


class Value(NamedTuple):
    """One side of a change, as an activity keeps it; by default, nothing."""

    text: str = ""
    id: UUID | None = None


def changed(field: str, comment: str, old: Value, new: Value, *, verb: str = "updated") -> IssueActivity:
    """Return the activity of a changed field, for `record` to complete and write."""
    return IssueActivity(
        verb=verb,
        field=field,
        comment=comment,
        old_value=old.text,
        new_value=new.text,
        old_identifier=old.id,
        new_identifier=new.id,
    )


def key_of(issue: Issue) -> Value:
    """Name an issue by its key, such as ACME-7."""
    return Value(f"{issue.project.identifier}-{issue.sequence_id}", issue.id)


def change_columns(
    issue: Issue, values: IssueValues, targets: Targets, *, now: datetime
) -> list[IssueActivity]:
    """Set all but the description on `issue`, unsaved; return an activity for each new value.

    Raises:
        RefusedError: if the dates are in the wrong order, or the issue would become its own parent.
    """
    activities = [*_simple(issue, values, "name")]
    if "parent_id" in values:
        activities += _parent(issue, values["parent_id"], targets.parent)
    activities += _simple(issue, values, "priority")
    if targets.state:
        activities += _state(issue, targets.state, now)
    if "estimate_point_id" in values:
        activities += _estimate(issue, values["estimate_point_id"], targets.estimate_point)
    activities += _simple(issue, values, "target_date")
    activities += _simple(issue, values, "start_date")
    _check_dates(issue, values)
    return activities


def save_columns(
    issues: Sequence[Issue], columns: Sequence[str], *, actor: User | None, now: datetime
) -> None:
    """Write `columns` of changed issues, and by whom and when, in one query."""
    for issue in issues:
        issue.updated_at, issue.updated_by = now, actor
    Issue.objects.bulk_update(issues, [*columns, "updated_at", "updated_by"])


def _simple(issue: Issue, values: IssueValues, column: str) -> Iterator[IssueActivity]:
    old = getattr(issue, column)
    new = values.get(column, old)
    if new != old:
        setattr(issue, column, new)
        yield changed(column, _SIMPLE[column], Value(str(old or "")), Value(str(new or "")))


def _parent(issue: Issue, parent_id: UUID | None, new: Issue | None) -> Iterator[IssueActivity]:
    if parent_id == issue.id:
        raise RefusedError("parent_id", "An issue cannot be its own parent.")
    if parent_id != issue.parent_id:
        old, issue.parent = issue.parent, new
        before, after = (key_of(parent) if parent else Value() for parent in (old, new))
        yield changed("parent", "updated the parent issue to", before, after)


def _state(issue: Issue, new: State, now: datetime) -> Iterator[IssueActivity]:
    if new.id != issue.state_id:
        old, issue.state = issue.state, new
        # A move between two completed states does not complete the issue once more.
        issue.completed_at = issue.completed_at or now if new.group == StateGroup.COMPLETED else None
        before = Value(old.name, old.id) if old else Value()
        yield changed("state", "updated the state to", before, Value(new.name, new.id))


def _estimate(issue: Issue, point_id: UUID | None, new: EstimatePoint | None) -> Iterator[IssueActivity]:
    if point_id != issue.estimate_point_id and (kept := new or issue.estimate_point):
        old, issue.estimate_point = issue.estimate_point, new
        before, after = (Value(point.value, point.id) if point else Value() for point in (old, new))
        field, verb = f"estimate_{kept.estimate.type}", "updated" if new else "removed"
        yield changed(field, "updated the estimate point to ", before, after, verb=verb)


def _check_dates(issue: Issue, values: IssueValues) -> None:
    given = [field for field in ("start_date", "target_date") if field in values]
    if given and issue.start_date and issue.target_date and issue.start_date > issue.target_date:
        raise RefusedError(given[0], "The start date cannot be later than the target date.")
