"""Holds the schedule against what its cron lines mean, before it is trusted.

periodiq 0.14 takes lines that it then never runs, or runs at other times than any cron would, and says nothing.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain

from periodiq import cron

from project.services.maintenance.crontab import HORIZON, Crontab
from scheduler.schedule import Entry


def faults(schedule: Iterable[Entry], start: date) -> list[str]:
    """Return one sentence for each entry that would not run when its line says so, or never."""
    return [
        f"{entry.actor.actor_name}, {entry.cron!r}: {wrong}"
        for entry in schedule
        if (wrong := fault(entry.cron, start))
    ]


def fault(line: str, start: date) -> str | None:
    """Return what is wrong with a cron line in the years from `start` on; None if nothing is."""
    try:
        meant = Crontab.parse(line)
    except ValueError as error:
        return str(error)
    days = [start + timedelta(days=n) for n in range(HORIZON.days)]
    first = next(filter(meant.fits_day, days), None)
    if first is None:
        return "there is no such day"
    done = cron(line)
    for moment in _moments(meant, first, days):
        if done.validate(moment) != meant.fits(moment):
            verb = "does not run it" if meant.fits(moment) else "runs it"
            return f"periodiq {verb} on {moment:%A %Y-%m-%d at %H:%M}, unlike other crons (docs/schedule.md)"
    return None


def _moments(meant: Crontab, first: date, days: list[date]) -> Iterator[datetime]:
    """Return all minutes of the first day on which the line runs, and one of them of every day.

    That is as good as all minutes of all days, as long as a cron decides on the day and on the time of day
    apart from each other.
    """
    midnight = datetime.combine(first, time(), UTC)
    right = next(meant.on(first)).timetz()
    return chain(
        (midnight + timedelta(minutes=n) for n in range(24 * 60)),
        (datetime.combine(day, right) for day in days),
    )
