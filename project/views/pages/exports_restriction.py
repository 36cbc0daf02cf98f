"""What an export is restricted to, in words: "urgent or high; created from 1 Jan 2026; with drafts"."""

from collections.abc import Iterator
from datetime import date

from django.utils.formats import date_format

from project.models import Priority, StateGroup
from project.services.digests.wording import counted
from project.services.exports.filters import Filters, Span
from project.views.pages.exports_form import DATES


def in_words(filters: Filters) -> str:
    """Put filters in words; "" if there are none."""
    return "; ".join(_parts(filters))


def _parts(filters: Filters) -> Iterator[str]:
    for names, labels in ((filters.state_groups, StateGroup), (filters.priorities, Priority)):
        if names:
            yield " or ".join(str(labels(name).label).lower() for name in names)
    if filters.assignees:
        yield f"of {counted(len(filters.assignees), 'assignee')}"
    if filters.labels:
        yield f"with {counted(len(filters.labels), 'label')}"
    for name, span in filters.dates.items():
        yield f"{DATES[name].lower()} {_days(span)}"
    for name in ("archived", "drafts", "triage"):
        if getattr(filters, name):
            yield f"with {name}"


def _days(span: Span) -> str:
    if span.first and span.first == span.last:
        return f"on {_day(span.first)}"
    sides = (("from", span.first), ("to", span.last))
    return " ".join(f"{word} {_day(day)}" for word, day in sides if day)


def _day(day: date) -> str:
    return date_format(day, "j M Y")
