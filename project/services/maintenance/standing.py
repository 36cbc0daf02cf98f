"""How the jobs of the schedule stand: when each runs next, how it ran last, and which of its ticks went wrong."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count, islice, takewhile
from typing import NamedTuple

from project.limits import Limits
from project.models import ScheduleRun
from project.services.maintenance.crontab import EVERY_MINUTE, Crontab

COMING = 20
LOOK_BACK = timedelta(days=7)  # the ledger goes back for longer: a run is kept as long as its message's name
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Job(NamedTuple):
    """An entry of the schedule: a periodic actor's name, when it runs and why then, and what becomes of missed
    ticks (``last`` or ``none``).
    """

    actor: str
    cron: str
    reason: str
    catch_up: str


class Late(NamedTuple):
    """A tick that was taken up when it was overdue: caught up, or by a worker that had no time before."""

    tick: datetime
    taken_up_at: datetime


class Standing(NamedTuple):
    """How one job stands.

    Attributes:
        coming: Its next ticks.
        last: The run of its newest tick; None if it never ran.
        missed: Ticks of the last days that no worker has taken up.
        late: Ticks of the last days that were taken up late.
    """

    job: Job
    coming: list[datetime]
    last: ScheduleRun | None
    missed: list[datetime]
    late: list[Late]


def standings(jobs: Sequence[Job], *, now: datetime, limits: Limits) -> list[Standing]:
    """Tell how each of the jobs stands."""
    return [_standing(job, now, limits) for job in jobs]


def _standing(job: Job, now: datetime, limits: Limits) -> Standing:
    runs = ScheduleRun.objects.filter(actor=job.actor)
    since = now - LOOK_BACK
    taken_up = dict(runs.filter(tick__gt=since).order_by("tick").values_list("tick", "taken_up_at"))
    if not runs.filter(tick__lte=since).exists():  # until its first tick a job has missed none
        since = min(taken_up, default=now)
    due = takewhile(lambda tick: tick <= now - limits.overdue, _ticks(job, since, limits))
    return Standing(
        job=job,
        coming=list(islice(_ticks(job, now, limits), COMING)),
        last=runs.order_by("-tick").first(),
        missed=[tick for tick in due if tick not in taken_up],
        late=[Late(tick, at) for tick, at in taken_up.items() if at > tick + limits.overdue],
    )


def _ticks(job: Job, after: datetime, limits: Limits) -> Iterator[datetime]:
    if job.cron != EVERY_MINUTE:
        return Crontab.parse(job.cron).after(after)
    before = after - (after - EPOCH) % limits.tick
    return (before + n * limits.tick for n in count(1))
