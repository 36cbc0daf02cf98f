"""Which issues an export is to hold, of those that its initiator may see."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any, NamedTuple, Self
from uuid import UUID

from project.models import Priority, StateGroup
from project.services.exports.query import visible

#: The dates that can be filtered by, and their SQL; moments are days in the zone of the export.
DATES = {
    "start_date": "issue.start_date",
    "target_date": "issue.target_date",
    "created_at": "(issue.created_at AT TIME ZONE %(time_zone)s)::date",
    "updated_at": "(issue.updated_at AT TIME ZONE %(time_zone)s)::date",
    "completed_at": "(issue.completed_at AT TIME ZONE %(time_zone)s)::date",
}
_LINKED = (
    "EXISTS (SELECT FROM {0}s AS link WHERE link.issue_id = issue.id AND link.deleted_at IS NULL AND {1})"
)
_CHOICES = {
    "state_groups": 'state."group" = ANY(%(state_groups)s)',
    "priorities": "issue.priority = ANY(%(priorities)s)",
    "assignees": _LINKED.format("issue_assignee", "link.assignee_id = ANY(%(assignees)s)"),
    "labels": _LINKED.format("issue_label", "link.label_id = ANY(%(labels)s)"),
}
_SWITCHES = {
    "archived": "issue.archived_at IS NULL",
    "drafts": "NOT issue.is_draft",
    "triage": "state.\"group\" IS DISTINCT FROM 'triage'",
}


class Span(NamedTuple):
    """From a day to a day, both included; None leaves that side open."""

    first: date | None
    last: date | None

    @property
    def backwards(self) -> bool:
        """Whether it ends before it begins: nothing can lie in it."""
        return bool(self.first and self.last and self.last < self.first)


@dataclass(frozen=True, kw_only=True)
class Filters:
    """What is not given does not restrict, but archived issues, drafts and triage must be asked for.

    Attributes:
        assignees, labels: Issues with any of these.
        dates: Spans by the names in `DATES`; an issue without that date is left out.
    """

    state_groups: tuple[str, ...] = ()
    priorities: tuple[str, ...] = ()
    assignees: tuple[UUID, ...] = ()
    labels: tuple[UUID, ...] = ()
    dates: Mapping[str, Span] = field(default_factory=lambda: MappingProxyType({}))
    archived: bool = False
    drafts: bool = False
    triage: bool = False

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_json` writes, or what a client sends.

        Raises:
            ValueError: naming the filter and what is allowed.
        """
        if unknown := data.keys() - {*_CHOICES, *_SWITCHES, "dates"}:
            raise ValueError(f"there is no filter {', '.join(sorted(unknown))}")
        return cls(
            state_groups=_words(data, "state_groups", StateGroup.values),
            priorities=_words(data, "priorities", Priority.values),
            assignees=_ids(data, "assignees"),
            labels=_ids(data, "labels"),
            dates=_spans(data.get("dates", {})),
            **{name: _switch(data, name) for name in _SWITCHES},
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON knows values, the same for the same meaning."""
        return {
            **{name: sorted({str(value) for value in getattr(self, name)}) for name in _CHOICES},
            "dates": {
                name: [day and day.isoformat() for day in span] for name, span in sorted(self.dates.items())
            },
            **{name: getattr(self, name) for name in _SWITCHES},
        }

    def sql(self, *, own_only: bool) -> str:
        """Return the condition, of live issues only; and only of those of the person, if that is all they see."""
        return " AND ".join(
            [
                "issue.deleted_at IS NULL",
                *([visible("issue")] if own_only else []),
                *(sql for name, sql in _CHOICES.items() if getattr(self, name)),
                *(sql for name, sql in _SWITCHES.items() if not getattr(self, name)),
                *(
                    f"{DATES[name]} {sign} %({name}_{side})s::date"
                    for name, span in self.dates.items()
                    for side, sign in (("first", ">="), ("last", "<="))
                    if getattr(span, side)
                ),
            ]
        )

    def parameters(self) -> dict[str, Any]:
        """Return the values that `sql` names."""
        choices = {name: list(getattr(self, name)) for name in _CHOICES}
        days = {
            f"{name}_{side}": day for name, span in self.dates.items() for side, day in span._asdict().items()
        }
        return choices | days


def _listed(data: Mapping[str, Any], name: str) -> list[str]:
    values = data.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{name} must be a list of texts")
    return values


def _words(data: Mapping[str, Any], name: str, allowed: list[str]) -> tuple[str, ...]:
    words = _listed(data, name)
    if set(words) - set(allowed):
        raise ValueError(f"{name} must be among {', '.join(allowed)}")
    return tuple(sorted(set(words)))


def _ids(data: Mapping[str, Any], name: str) -> tuple[UUID, ...]:
    try:
        return tuple(sorted({UUID(value) for value in _listed(data, name)}))
    except ValueError:
        raise ValueError(f"{name} must be a list of ids") from None


def _switch(data: Mapping[str, Any], name: str) -> bool:
    value = data.get(name, False)
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false")
    return value


def _spans(data: Any) -> Mapping[str, Span]:
    if not isinstance(data, Mapping) or data.keys() - DATES.keys():
        raise ValueError(f"dates must be an object with some of {', '.join(DATES)}")
    return MappingProxyType({name: _span(name, pair) for name, pair in data.items()})


def _span(name: str, pair: Any) -> Span:
    try:
        if not isinstance(pair, list):
            raise TypeError
        first, last = map(_day, pair)
    except (TypeError, ValueError):
        raise ValueError(f"dates: {name} must be two days such as 2026-01-31, or null") from None
    return Span(first, last)


def _day(text: str | None) -> date | None:
    """Read a day in the one form of ISO 8601 that everybody writes; of the others hardly anybody is aware."""
    if text is None:
        return None
    day = date.fromisoformat(text)
    if day.isoformat() != text:
        raise ValueError
    return day
