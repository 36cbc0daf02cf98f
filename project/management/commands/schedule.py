"""``manage.py schedule``: what runs when, how it ran last, and what was missed."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from textwrap import fill
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from project.actors.timetable import jobs
from project.management.arguments import add_json
from project.management.printing import as_json
from project.models import MOMENT, ScheduleRun
from project.services.maintenance.standing import LOOK_BACK, Job, Standing, standings

WIDTH = 110


class Command(BaseCommand):
    """Tells how each job of the schedule stands."""

    help = "The next ticks of each job, its last run, and the ticks that were missed or late. Times are UTC."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what narrows the list."""
        parser.add_argument("actors", nargs="*", metavar="ACTOR", help="these ones only")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Print them.

        Raises:
            CommandError: if an actor is not in the schedule.
        """
        chosen = _chosen(options["actors"])
        found = standings(chosen, now=timezone.now(), limits=settings.LIMITS)
        self.stdout.write(as_json([_as_object(one) for one in found]) if options["json"] else _as_text(found))


def _chosen(actors: Sequence[str]) -> list[Job]:
    known = {job.actor: job for job in jobs()}
    if unknown := set(actors).difference(known):
        raise CommandError(
            f"Not in the schedule: {', '.join(sorted(unknown))}. There are: {', '.join(known)}."
        )
    return [known[actor] for actor in actors or known]


def _as_text(found: Sequence[Standing]) -> str:
    return "\n\n".join("\n".join(_lines(one)) for one in found)


def _lines(one: Standing) -> Iterator[str]:
    job, days = one.job, LOOK_BACK.days
    yield f"{job.actor}  {job.cron}  ({job.reason})"
    yield f"    last    {_told(one.last) if one.last else 'never'}"
    if one.missed:
        fate = (
            "of several the last is caught up" if job.catch_up == "last" else "the next ones found their work"
        )
        yield f"    missed  {len(one.missed)} in {days} days, the last {one.missed[-1]:{MOMENT}}; {fate}"
    if one.late:
        tick, at = one.late[-1]
        yield f"    late    {len(one.late)} in {days} days, the last {tick:{MOMENT}}, taken up at {at:{MOMENT}}"
    yield fill(", ".join(_days(one.coming)), WIDTH, initial_indent="    next    ", subsequent_indent=" " * 12)


def _days(ticks: Sequence[datetime]) -> Iterator[str]:
    for day, times in groupby(ticks, datetime.date):
        yield f"{day} {' '.join(f'{time:%H:%M:%S}'.removesuffix(':00') for time in times)}"


def _told(run: ScheduleRun) -> str:
    took = f" after {run.took.total_seconds():.2f} s" if run.took else f" since {run.started_at:{MOMENT}}"
    said = run.reason or run.outcome
    return f"{run.tick:{MOMENT}}: {run.status}{took}" + f": {said}" * bool(said)


def _as_object(one: Standing) -> dict[str, Any]:
    last = one.last and {
        "tick": one.last.tick,
        "status": one.last.status,
        "taken_up_at": one.last.taken_up_at,
        "started_at": one.last.started_at,
        "ended_at": one.last.ended_at,
        "seconds": one.last.took and one.last.took.total_seconds(),
        "outcome": one.last.outcome,
        "reason": one.last.reason,
    }
    late = [delay._asdict() for delay in one.late]
    return {**one.job._asdict(), "next": one.coming, "last": last, "missed": one.missed, "late": late}
