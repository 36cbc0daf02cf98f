"""Words for people, values and times. All of them one line, and safe in any text."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo

from project.models import known_zones
from project.services.digests.fields import field_named
from project.services.digests.header_text import clean_header_text

FORMER_MEMBER = "A former member"
AUTOMATION = "automation"  # stands for the id of an actor where a rule of the project acted
UNNAMED = "(unnamed)"
MAX_VALUE = 200  # characters of a value; longer ones end with "…"
MAX_NAMES = 10  # elements that a list names

_STORAGE_PREFIX = re.compile(r"^.*/(?:[0-9a-f]{32}-)?")


def zone_named(name: str) -> tzinfo:
    """Return the time zone, UTC if there is none of that name."""
    return ZoneInfo(name) if name in known_zones() else UTC


def moment(at: datetime | None, zone: tzinfo) -> str:
    """Say when: "10 Jan 2026, 13:44 CET". A time without a zone is taken for UTC; empty if there is none."""
    if at is None:
        return ""
    local = (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(zone)
    zone_name = local.tzname() or ""
    label = zone_name if zone_name[:1].isalpha() else f"UTC{zone_name}"
    return f"{_day(local)}, {local:%H:%M} {label}"


def day_in_words(at: datetime, zone: tzinfo) -> str:
    """Say which day it is there: "10 Jan 2026"."""
    return _day(at.astimezone(zone))


def name_of(actor: str | None, people: Mapping[str, str]) -> str:
    """Name a person, or `AUTOMATION`; who is not in `people` any more is a former member."""
    if actor == AUTOMATION:
        return "Automation"
    return people.get(actor or "") or FORMER_MEMBER


def people_in_words(actors: Sequence[str | None], people: Mapping[str, str]) -> str:
    """Say who: "Ann", "Ann and Bob", "Ann, Bob and Eve", "Ann, Bob and 2 others"."""
    names = [name_of(actor, people) for actor in actors]
    if len(names) > 3:
        names = [*names[:2], f"{len(names) - 2} others"]
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def counted(number: int, thing: str) -> str:
    """Say how many: "1 update", "2 updates"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def names_in_words(field: str, names: Sequence[str]) -> str:
    """Join the names of a field's elements with commas, the first few of them."""
    shown = ", ".join(value_in_words(field, name) for name in names[:MAX_NAMES])
    rest = len(names) - MAX_NAMES
    return f"{shown} and {rest} more" if rest > 0 else shown


def value_in_words(field: str, value: str) -> str:
    """Say a value. A date is the day that it names, in every zone; an attachment, the name of its file."""
    if field == "attachment":
        value = _STORAGE_PREFIX.sub("", value)
    if field_named(field).date:
        with suppress(ValueError):
            value = _day(date.fromisoformat(value))
    return clean_header_text(value, MAX_VALUE) or UNNAMED


def _day(day: date) -> str:
    return f"{day.day} {day:%b} {day.year}"
