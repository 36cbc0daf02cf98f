"""The fields of an issue, as activities name them: what they are called, and how their values compare."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """One field of an issue.

    `many`: it holds elements, which activities add and remove one by one. `by_value`: the value is the
    identity, because the identifier beside it names something else (the other issue, the link's row).
    `date`: values are ISO dates without a time, so no time zone shifts them.
    """

    heading: str
    many: bool = False
    by_value: bool = False
    date: bool = False


_FIELDS = {
    "name": Field("Title"),
    "state": Field("State"),
    "priority": Field("Priority"),
    "parent": Field("Parent"),
    "start_date": Field("Start date", date=True),
    "target_date": Field("Due date", date=True),
    "archived_at": Field("Issue"),
    "description": Field("Description"),
    "assignees": Field("Assignees", many=True),
    "labels": Field("Labels", many=True),
    "sub_issues": Field("Sub-issues", many=True),
    "cycles": Field("Cycles", many=True),
    "modules": Field("Modules", many=True),
    "link": Field("Links", many=True, by_value=True),
    "attachment": Field("Attachments", many=True, by_value=True),
    "blocking": Field("Blocking", many=True, by_value=True),
    "blocked_by": Field("Blocked by", many=True, by_value=True),
    "relates_to": Field("Relates to", many=True, by_value=True),
    "duplicate": Field("Duplicate of", many=True, by_value=True),
    "start_before": Field("Starts before", many=True, by_value=True),
    "start_after": Field("Starts after", many=True, by_value=True),
    "finish_before": Field("Finishes before", many=True, by_value=True),
    "finish_after": Field("Finishes after", many=True, by_value=True),
    "implements": Field("Implements", many=True, by_value=True),
    "implemented_by": Field("Implemented by", many=True, by_value=True),
}


def field_named(name: str) -> Field:
    """Look a field up; one that nobody told us about is a single value under its own name."""
    if name.startswith("estimate_"):
        return Field("Estimate")
    return _FIELDS.get(name) or Field(name.replace("_", " ").capitalize())
