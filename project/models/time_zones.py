"""The time zones that the program and the database both know."""

from functools import cache
from zoneinfo import available_timezones

#: A file that some machines have, with their own zone: zoneinfo lists it, PostgreSQL refuses the name.
_OF_THE_MACHINE = "localtime"


@cache
def known_zones() -> frozenset[str]:
    """Return their names, such as "Europe/Berlin"."""
    return frozenset(available_timezones() - {_OF_THE_MACHINE})
