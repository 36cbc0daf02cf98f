from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from django.db import Error as DatabaseError
from django.db import connection, connections, transaction

from project.models import RunStatus, ScheduleRun
from project.services.maintenance.schedule import IncompleteError, StillRunningError, is_missing, run_tick

pytestmark = pytest.mark.django_db(transaction=True)

TICK = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


class Clock:
    """Each look at it is a second later than the one before."""

    def __init__(self) -> None:
        self._seconds = count()

    def __call__(self) -> datetime:
        return TICK + timedelta(seconds=next(self._seconds))


@pytest.fixture
def elsewhere() -> Iterator[ThreadPoolExecutor]:
    """Another worker: a thread with a connection of its own."""
    with ThreadPoolExecutor(1) as pool:
        yield pool
        pool.submit(connections.close_all).result(10)


def run(work, *, actor: str = "job", tick: datetime = TICK) -> None:
    run_tick(actor, tick, work, clock=Clock())


def rows() -> list[tuple]:
    return list(ScheduleRun.objects.order_by("tick").values_list("actor", "tick", "status", "reason"))


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def end(backend: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [backend])


def test_a_run_is_recorded() -> None:
    run(lambda: None)
    [row] = ScheduleRun.objects.all()
    assert (row.actor, row.tick, row.status) == ("job", TICK, RunStatus.DONE)
    assert (row.started_at, row.ended_at) == (TICK, TICK + timedelta(seconds=1))


def test_a_run_tells_what_came_of_it_and_when_its_tick_was_first_taken_up() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run(fail)
    run_tick("job", TICK, lambda: "deleted 3", clock=lambda: TICK + MINUTE)
    [row] = ScheduleRun.objects.all()
    assert (row.outcome, row.taken_up_at, row.started_at) == ("deleted 3", TICK, TICK + MINUTE)


def test_a_tick_is_done_once_and_other_ticks_and_actors_are_their_own() -> None:
    effects: list[str] = []
    for _ in range(2):
        run(lambda: effects.append("job"))
        run(lambda: effects.append("later"), tick=TICK + MINUTE)
        run(lambda: effects.append("other"), actor="other")
    assert effects == ["job", "later", "other"]


def test_work_may_commit_by_itself() -> None:
    def work() -> None:
        with transaction.atomic(durable=True):
            ScheduleRun.objects.filter(actor="job").update(reason="seen")

    run(work)
    assert rows() == [("job", TICK, "done", "seen")]


def test_a_failure_is_recorded_and_raised_and_the_next_attempt_ends_well() -> None:
    def fail() -> None:
        raise ValueError("no\x00pe")

    with pytest.raises(ValueError, match="pe"):
        run(fail)
    assert rows() == [("job", TICK, "failed", r"ValueError('no\x00pe')")]
    run(lambda: None)
    assert rows() == [("job", TICK, "done", "")]


def test_work_that_could_not_do_all_has_failed_with_what_it_did_and_is_not_tried_again() -> None:
    def work() -> None:
        raise IncompleteError("deleted 3, failed 1")

    run(work)
    assert rows() == [("job", TICK, "failed", "deleted 3, failed 1")]
    assert not is_missing("job", TICK, since=TICK)


def test_an_interrupted_run_has_failed_too() -> None:
    """Dramatiq interrupts by exceptions that are none to `except Exception`."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(interrupted)
    assert rows() == [("job", TICK, "failed", "KeyboardInterrupt()")]


def test_the_run_of_a_dead_worker_is_run_again() -> None:
    ScheduleRun.objects.create(actor="job", tick=TICK, started_at=TICK)
    effects: list[int] = []
    run(lambda: effects.append(1))
    assert effects == [1]
    assert rows() == [("job", TICK, "done", "")]


def test_two_runs_of_a_tick_are_never_at_the_same_time(elsewhere: ThreadPoolExecutor) -> None:
    def meanwhile() -> None:
        with pytest.raises(StillRunningError):
            elsewhere.submit(run, pytest.fail).result(10)
        elsewhere.submit(run, lambda: None, tick=TICK + MINUTE).result(10)

    run(meanwhile)
    elsewhere.submit(run, pytest.fail).result(10)
    assert rows() == [("job", TICK, "done", ""), ("job", TICK + MINUTE, "done", "")]


def test_who_loses_its_connection_can_write_nothing_more_and_another_takes_over(
    elsewhere: ThreadPoolExecutor,
) -> None:
    effects: list[str] = []

    def cut_off() -> None:
        elsewhere.submit(end, backend()).result(10)
        elsewhere.submit(run, lambda: effects.append("other")).result(10)
        ScheduleRun.objects.create(actor="written too late", tick=TICK, started_at=TICK)

    with pytest.raises(DatabaseError):
        run(cut_off)
    connection.close()
    assert effects == ["other"]
    assert rows() == [("job", TICK, "done", "")]


BEFORE, AFTER = TICK - timedelta(days=1), TICK + timedelta(days=1)


@pytest.mark.parametrize(
    ("known", "since", "missing"),
    [
        ({}, TICK, True),
        ({}, TICK + MINUTE, False),  # an actor's first scheduler has missed nothing
        ({BEFORE: RunStatus.DONE}, AFTER, True),
        ({BEFORE: RunStatus.FAILED}, AFTER, True),
        ({TICK: RunStatus.RUNNING}, AFTER, True),
        ({TICK: RunStatus.DONE}, BEFORE, False),
        ({TICK: RunStatus.FAILED}, BEFORE, False),
        ({AFTER: RunStatus.RUNNING}, BEFORE, False),  # another scheduler's clock is ahead
    ],
)
def test_what_is_missing(known: dict[datetime, RunStatus], since: datetime, missing: bool) -> None:
    for tick, status in known.items():
        ended = None if status == RunStatus.RUNNING else tick
        reason = "x" if status == RunStatus.FAILED else ""
        ScheduleRun.objects.create(
            actor="job", tick=tick, status=status, started_at=tick, ended_at=ended, reason=reason
        )
    ScheduleRun.objects.create(actor="other", tick=AFTER, started_at=AFTER)
    assert is_missing("job", TICK, since=since) is missing
