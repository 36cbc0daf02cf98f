from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from project.demo.ports import free_port
from project.limits import Limits
from project.models import RunStatus, ScheduleRun
from scheduler.schedule import EVERY_MINUTE, Entry
from scheduler.steady import SteadyScheduler
from scheduler.ticks import Pace
from tests.scheduler.conftest import Job, wake

START = datetime(2026, 3, 1, 2, 58, 20, tzinfo=UTC)
THREE = datetime(2026, 3, 1, 3, 0, tzinfo=UTC)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


@pytest.fixture
def hurried(configure, settings) -> Limits:
    settings.LIMITS = replace(configure(), tick=SECOND)
    return settings.LIMITS


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name.startswith("scheduler")]


def test_a_tick_is_the_minute_whenever_in_it_a_scheduler_wakes(job: Job, configure) -> None:
    scheduler = SteadyScheduler([Entry(job.actor, EVERY_MINUTE, "test")], configure(), START)
    for moment in (START, START + 9 * SECOND, START + 45 * SECOND):
        wake(moment, scheduler)
    assert job.waiting == [datetime(2026, 3, 1, 2, 58, tzinfo=UTC), datetime(2026, 3, 1, 2, 59, tzinfo=UTC)]


def test_a_calendar_entry_is_sent_once_in_its_minute_and_in_no_other(job: Job, configure) -> None:
    scheduler = SteadyScheduler([Entry(job.actor, "0 3 * * *", "test")], configure(), START)
    for second in range(0, 300, 10):
        wake(START + second * SECOND, scheduler)
    assert job.waiting == [THREE]


def test_a_short_tick_hurries_what_runs_every_minute_and_nothing_else(broker, hurried: Limits) -> None:
    often, daily = Job(broker, "often"), Job(broker, "daily")
    schedule = [Entry(often.actor, EVERY_MINUTE, "test"), Entry(daily.actor, "0 3 * * *", "test")]
    scheduler = SteadyScheduler(schedule, hurried, START)
    for second in range(120):
        wake(START + second * SECOND, scheduler)
    assert often.waiting == [START + second * SECOND for second in range(120)]
    assert daily.waiting == [THREE]


@pytest.mark.parametrize(("tick", "sleep"), [(MINUTE, 40), (SECOND, 1), (15 * SECOND, 10)])
def test_periodiq_sleeps_until_the_next_tick_on_the_grid(tick: timedelta, sleep: int) -> None:
    assert Pace(tick).next_valid_date(START) == START + sleep * SECOND


def test_a_broker_that_is_away_costs_ticks_and_not_the_process(server, job: Job, configure, caplog) -> None:
    scheduler = SteadyScheduler([Entry(job.actor, EVERY_MINUTE, "test")], configure(), START)
    server.pause()
    wake(START, scheduler)
    server.resume()
    wake(START + 10 * SECOND, scheduler)
    assert "tick of job for 2026-03-01 02:58:00+00:00 not sent" in warnings(caplog)[0]
    assert set(job.waiting) == {datetime(2026, 3, 1, 2, 58, tzinfo=UTC)}


def test_missed_minutes_are_told_and_ordinary_ones_are_not(job: Job, configure, caplog) -> None:
    scheduler = SteadyScheduler([Entry(job.actor, EVERY_MINUTE, "test")], configure(), START)
    for minute in (1, 2, 6):
        wake(START.replace(second=0) + minute * MINUTE, scheduler)
    [told] = warnings(caplog)
    assert told == "missed all ticks between 2026-03-01 03:00:00+00:00 and 2026-03-01 03:04:00+00:00"


def test_a_clock_that_is_set_back_is_told_and_changes_no_name(job: Job, configure, caplog) -> None:
    scheduler = SteadyScheduler([Entry(job.actor, EVERY_MINUTE, "test")], configure(), START)
    for moment in (THREE - MINUTE, THREE, THREE + MINUTE, THREE):
        wake(moment, scheduler)
    assert job.waiting == [THREE - MINUTE, THREE, THREE + MINUTE, THREE]
    [told] = warnings(caplog)
    assert told.startswith("clock set back from 2026-03-01 03:01:00+00:00 to 2026-03-01 03:00:00+00:00")


@pytest.mark.django_db(transaction=True)
def test_a_database_that_is_away_costs_the_catching_up_and_not_the_tick(
    job: Job, configure, caplog, monkeypatch
) -> None:
    ScheduleRun.objects.create(
        actor="job", tick=THREE - timedelta(days=2), started_at=THREE, ended_at=THREE, status=RunStatus.DONE
    )
    late = SteadyScheduler([Entry(job.actor, "0 3 * * *", "test", catch_up="last")], configure(), START)
    with monkeypatch.context() as patch:
        connection.close()
        patch.setitem(connection.settings_dict, "PORT", free_port())
        wake(START, late)
        assert "cannot ask whether job ran at 2026-02-28" in warnings(caplog)[0]
        wake(THREE, late)
        assert job.waiting == [THREE]
    connection.close()
