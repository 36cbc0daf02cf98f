"""A job of the calendar: one effect for each tick, whatever happens to schedulers, workers and Redis."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from threading import Event

import pytest
from django.db import OperationalError

from project.models import RunStatus, ScheduleRun
from scheduler.schedule import Entry
from scheduler.steady import SteadyScheduler
from scheduler.ticks import send_tick
from tests.queue.conftest import eventually, working
from tests.queue.test_dedup import empty
from tests.scheduler.conftest import Job, wake

pytestmark = pytest.mark.django_db(transaction=True)

MIDNIGHT = datetime(2026, 3, 1, tzinfo=UTC)
THREE = MIDNIGHT + timedelta(hours=3)
DAY, HOUR, MINUTE, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


@contextmanager
def at_work(job: Job) -> Iterator[None]:
    """A worker, until nothing is left to do."""
    with working(job.broker):
        yield
        settle(job)


def settle(job: Job) -> None:
    eventually(lambda: empty(job.broker))


def make_scheduler(job: Job, since: datetime, catch_up: str = "last") -> SteadyScheduler:
    entry = Entry(job.actor, "0 3 * * *", "test", catch_up)
    return SteadyScheduler([entry], job.broker.limits, since)


def done() -> list[datetime]:
    return list(
        ScheduleRun.objects.filter(status=RunStatus.DONE).order_by("tick").values_list("tick", flat=True)
    )


def test_two_schedulers_and_an_emptied_redis_after_each_step(server, job: Job) -> None:
    schedulers = [make_scheduler(job, MIDNIGHT), make_scheduler(job, MIDNIGHT + 7 * SECOND)]
    with at_work(job):
        for day in range(3):
            for minute in range(178, 190):
                wake(MIDNIGHT + day * DAY + minute * MINUTE, *schedulers)
                settle(job)
                server.client().flushall()
    assert job.effects == done() == [THREE, THREE + DAY, THREE + 2 * DAY]


def test_a_redelivery_is_recognised_even_if_redis_forgot_the_first(server, job: Job) -> None:
    with at_work(job):
        for _ in range(3):
            send_tick(job.actor, THREE)
            settle(job)
            server.client().flushall()
    assert job.effects == [THREE]


def test_a_scheduler_that_comes_back_within_the_minute_repeats_nothing(server, job: Job) -> None:
    with at_work(job):
        for second in (0, 20, 40):
            wake(THREE + second * SECOND, make_scheduler(job, THREE))
            settle(job)
            server.client().flushall()
    assert job.effects == [THREE]


def test_a_worker_that_is_hours_late_runs_it_once(job: Job) -> None:
    scheduler = make_scheduler(job, MIDNIGHT)
    for minute in range(180, 600):
        wake(MIDNIGHT + minute * MINUTE, scheduler)
    assert len(job.waiting) > 1  # sent again and again, in case it was lost
    with at_work(job):
        pass
    assert job.effects == [THREE]


def test_a_message_that_was_lost_is_sent_again_when_it_has_been_waited_for(server, job: Job) -> None:
    scheduler = make_scheduler(job, MIDNIGHT)
    wake(THREE, scheduler)
    server.client().flushall()
    overdue = THREE + job.broker.limits.overdue
    wake(overdue - MINUTE, scheduler)
    assert job.waiting == []
    wake(overdue, scheduler)
    assert job.waiting == [THREE]


def test_of_missed_ticks_the_last_one_is_caught_up_once(job: Job) -> None:
    with at_work(job):
        wake(THREE, make_scheduler(job, MIDNIGHT))
    late = [make_scheduler(job, THREE + 3 * DAY + HOUR) for _ in range(2)]
    with at_work(job):
        for minute in range(10):
            wake(THREE + 3 * DAY + HOUR + minute * MINUTE, *late)
            settle(job)
    assert job.effects == done() == [THREE, THREE + 3 * DAY]


def test_a_tick_that_redis_did_not_take_is_caught_up(server, job: Job) -> None:
    scheduler = make_scheduler(job, MIDNIGHT)
    server.kill()
    wake(THREE, scheduler)
    server.start()
    wake(THREE + MINUTE, scheduler)
    assert job.waiting == [THREE]


def test_without_that_policy_missed_ticks_are_left(job: Job) -> None:
    with at_work(job):
        wake(THREE, make_scheduler(job, MIDNIGHT, "none"))
        settle(job)
        wake(THREE + 2 * DAY + HOUR, make_scheduler(job, THREE + 2 * DAY + HOUR, "none"))
    assert job.effects == [THREE]


def test_an_actor_that_is_new_has_missed_nothing(job: Job) -> None:
    scheduler = make_scheduler(job, THREE + HOUR)
    wake(THREE + HOUR, scheduler)
    assert job.waiting == []


def test_a_run_whose_worker_died_is_caught_up(job: Job) -> None:
    ScheduleRun.objects.create(actor="job", tick=THREE, started_at=THREE)
    with at_work(job):
        wake(THREE + HOUR, make_scheduler(job, THREE + HOUR))
    assert job.effects == done() == [THREE]


def test_a_failure_is_retried_until_it_is_done(job: Job) -> None:
    def fail_once() -> None:
        if len(job.effects) == 1:
            raise OperationalError("not now")

    job.then = fail_once
    with at_work(job):
        wake(THREE, make_scheduler(job, MIDNIGHT))
    assert job.effects == [THREE, THREE]
    assert done() == [THREE]


def test_a_copy_that_comes_while_the_first_runs_waits_for_its_end(
    server, configure, make_broker, caplog
) -> None:
    """Even if Redis forgot that it runs."""
    configure(retry_min_backoff=0.5, retry_max_backoff=1)
    job = Job(make_broker())
    began, go = Event(), Event()

    def block() -> None:
        began.set()
        assert go.wait(10)

    job.then = block
    with at_work(job):
        send_tick(job.actor, THREE)
        assert began.wait(10)
        server.client(1).flushdb()
        send_tick(job.actor, THREE)
        eventually(lambda: "StillRunningError" in caplog.text)
        go.set()
    assert job.effects == done() == [THREE]
