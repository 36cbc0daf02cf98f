"""Moments of a person's own clock: quiet hours, and the hour of the daily mail.

A time of day is turned into a moment for one date at a time, so clock changes need no rule of their own: a time
that the clock skips is later by what it skips, and of one that comes twice the first is meant.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta, tzinfo

DAY = timedelta(days=1)


def quiet_until(now: datetime, begin: time | None, end: time | None, zone: tzinfo) -> datetime | None:
    """Return when the quiet hours end in which `now` is; None if it is in none.

    Quiet hours from `begin` to `end` cross midnight if `end` is the earlier one; without them nothing is quiet.
    """
    if begin is None or end is None:
        return None
    for day in _days_around(now, zone):
        until = _moment(day if begin < end else day + DAY, end, zone)
        if _moment(day, begin, zone) <= now < until:
            return until
    return None


def daily_before(now: datetime, at: time, zone: tzinfo) -> datetime:
    """Return the last moment up to `now` at which it is `at`."""
    return max(moment for moment in _daily(now, at, zone) if moment <= now)


def daily_after(now: datetime, at: time, zone: tzinfo) -> datetime:
    """Return the first moment from `now` on at which it is `at`."""
    return min(moment for moment in _daily(now, at, zone) if moment >= now)


def _daily(now: datetime, at: time, zone: tzinfo) -> Iterator[datetime]:
    return (_moment(day, at, zone) for day in _days_around(now, zone))


def _days_around(now: datetime, zone: tzinfo) -> Iterator[date]:
    """Two days to each side: there are zones that once left a whole day out."""
    today = now.astimezone(zone).date()
    return (today + days * DAY for days in range(-2, 3))


def _moment(day: date, at: time, zone: tzinfo) -> datetime:
    """In UTC, since moments of one zone are compared and subtracted by what its clock shows."""
    return datetime.combine(day, at, zone).astimezone(UTC)
