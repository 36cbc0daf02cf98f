"""The ledger of the schedule: each tick of a periodic actor is run to its end once, whoever sends it again.

Dedup drops most copies of a tick before they get here, as long as Redis remembers. The ledger does not forget,
and it is what the scheduler asks whether a tick was missed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import connection

from project.models import RunStatus, ScheduleRun, advance


class StillRunningError(RuntimeError):
    """This very tick is being run by somebody else right now; try again later."""


class IncompleteError(Exception):
    """Work that came to its end and could not do all; its text says what came of it."""


Work = Callable[[], str | None]


def run_tick(actor: str, tick: datetime, work: Work, *, clock: Callable[[], datetime]) -> None:
    """Do the `work` of a tick and record how it ended; do nothing if the ledger says that it is done.

    A run whose worker died is run again, and so is a failed one, but two never run at the same time. What a
    run had done before it died is not undone: `work` selects what there is to do by its data, or names what it
    writes.

    Args:
        actor: name of the periodic actor.
        tick: the time it was scheduled for.
        work: what the actor does; it commits by itself, and may return in words what came of it. If that is
            an `IncompleteError`, the run has failed, but is not tried again: the next tick finds what is left.
        clock: gives the present time.

    Raises:
        StillRunningError: if another run of the same tick has not ended.
        django.db.Error: if the ledger cannot be read or written.
    """
    with _alone(f"schedule_runs:{actor}:{tick.isoformat()}"):
        begun = clock()
        run, is_new = ScheduleRun.objects.get_or_create(
            actor=actor, tick=tick, defaults={"taken_up_at": begun, "started_at": begun}
        )
        row = ScheduleRun.objects.filter(id=run.id)
        if not (is_new or advance(row, to=RunStatus.RUNNING, started_at=begun, ended_at=None, reason="")):
            return
        try:
            outcome = work() or ""
        except IncompleteError as error:
            advance(row, to=RunStatus.FAILED, ended_at=clock(), reason=str(error))
            return
        except BaseException as error:  # an interruption by time limit or shutdown is no Exception
            advance(row, to=RunStatus.FAILED, ended_at=clock(), reason=repr(error))
            raise
        advance(row, to=RunStatus.DONE, ended_at=clock(), outcome=outcome)


def is_missing(actor: str, tick: datetime, *, since: datetime) -> bool:
    """Return whether nobody took `tick` up, or whoever did has not ended it.

    A failed run is not missing: its retry, or its dead letter, is on the queue.

    Args:
        actor: name of the periodic actor.
        tick: when it was due last.
        since: nothing before this is missing, unless the ledger knows an earlier tick of the actor: until its
            first tick an actor has missed none.
    """
    newest = ScheduleRun.objects.filter(actor=actor).order_by("-tick").first()
    if newest is None:
        return tick >= since
    return newest.tick < tick or (newest.tick == tick and newest.status == RunStatus.RUNNING)


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """Keep everybody else from doing the same meanwhile.

    The lock belongs to the session of this thread's connection. It ends when its holder dies, and not while
    that is merely paused. Whoever loses it has lost the connection too, and can write nothing more.
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
