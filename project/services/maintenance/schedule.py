"""The ledger of the schedule: each tick of a periodic actor is run to its end once, whoever sends it again.

Dedup drops most copies of a tick before they get here, as long as Redis remembers. The ledger does not forget,
and it is what the scheduler asks which tick was missed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import connection, transaction

from project.models import RunStatus, ScheduleRun, advance


class StillRunningError(RuntimeError):
    """This very tick is being run by somebody else right now; try again later."""


def run_tick(actor: str, tick: datetime, work: Callable[[], None], *, clock: Callable[[], datetime]) -> None:
    """Do the `work` of a tick and record how it ended; nothing at all if the ledger says that it is done.

    A run whose worker died is run again, and so is a failed one. Two never run at the same time. What a run
    had done before it died is not undone: `work` selects what to do by its data, or names what it writes.

    Args:
        actor: name of the periodic actor.
        tick: the time it was scheduled for.
        work: what the actor does.
        clock: gives the present time.

    Raises:
        StillRunningError: if another run of the same tick has not ended.
        django.db.Error: if the ledger cannot be read or written.
    """
    with _alone(f"schedule_runs:{actor}:{tick.isoformat()}"):
        if not _begin(actor, tick, now=clock()):
            return
        try:
            work()
        except BaseException as error:  # time limit and shutdown are no Exceptions
            reason = f"{type(error).__name__}: {error}"
            _end(actor, tick, RunStatus.FAILED, reason=reason, now=clock())
            raise
        _end(actor, tick, RunStatus.DONE, now=clock())


def is_missing(actor: str, tick: datetime, *, since: datetime) -> bool:
    """Return whether `tick` ought to have been run and nobody took it up, or whoever did has not ended it.

    A failed run is not missing: its retries or its dead letter are on the queue.

    Args:
        actor: name of the periodic actor.
        tick: the newest time at which it was due.
        since: what was due before this is missing only if the ledger knows an earlier tick. Otherwise it was
            due before the actor existed.
    """
    newest = ScheduleRun.objects.filter(actor=actor).order_by("-tick").first()
    if newest is None:
        return tick >= since
    return newest.tick < tick or (newest.tick == tick and newest.status == RunStatus.RUNNING)


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Keep others from doing the same meanwhile.

    The lock belongs to the session of this thread's connection, so it ends when its holder dies, and only
    then: a worker that was merely paused still has it. A worker that lost it lost its connection as well, and
    can write nothing more.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", [name])
        (ours,) = cursor.fetchone()
    if not ours:
        raise StillRunningError(name)
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [name])


def _begin(actor: str, tick: datetime, *, now: datetime) -> bool:
    with transaction.atomic(durable=True):
        run, is_new = ScheduleRun.objects.get_or_create(
            actor=actor, tick=tick, defaults={"started_at": now}
        )
        return is_new or bool(_move(run, RunStatus.RUNNING, reason="", started_at=now, ended_at=None))


def _end(actor: str, tick: datetime, status: RunStatus, *, now: datetime, reason: str = "") -> None:
    ...
