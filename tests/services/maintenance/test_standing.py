"""What is coming, what ran, and which ticks were missed or late."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from project.limits import Limits
from project.models import RunStatus, ScheduleRun
from project.services.maintenance.crontab import EVERY_MINUTE
from project.services.maintenance.standing import COMING, Job, Late, Standing, standings

pytestmark = pytest.mark.django_db
LIMITS = Limits()
NOW = datetime(2026, 6, 10, 12, 0, 30, tzinfo=UTC)
DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
THREE = datetime(2026, 6, 10, 3, 0, tzinfo=UTC)


def ran(ticks: Iterable[datetime], after: timedelta = timedelta(0), actor: str = "job") -> None:
    times = [(tick, tick + after) for tick in ticks]
    ScheduleRun.objects.bulk_create(
        ScheduleRun(
            actor=actor, tick=tick, taken_up_at=at, started_at=at, ended_at=at + MINUTE, status=RunStatus.DONE
        )
        for tick, at in times
    )


def standing(cron: str = "0 3 * * *", limits: Limits = LIMITS) -> Standing:
    (found,) = standings([Job("job", cron, "test", "last")], now=NOW, limits=limits)
    return found


def test_twenty_ticks_are_coming():
    coming = standing().coming
    assert coming == [THREE + n * DAY for n in range(1, COMING + 1)]


def test_short_ticks_of_a_demonstration_are_told_as_they_are():
    coming = standing(EVERY_MINUTE, replace(LIMITS, tick=timedelta(seconds=20))).coming
    assert coming[:2] == [NOW + timedelta(seconds=10), NOW + timedelta(seconds=30)]


def test_a_job_that_never_ran_has_missed_nothing():
    ran([THREE], actor="other")
    assert standing()[2:] == (None, [], [])


def test_the_last_run_is_that_of_the_newest_tick():
    ran([THREE, THREE - DAY])
    last = standing().last
    assert last
    assert (last.tick, last.took) == (THREE, MINUTE)


def test_missed_is_what_nobody_took_up_since_the_first_run():
    ran([THREE - 3 * DAY, THREE - DAY])
    assert standing().missed == [THREE - 2 * DAY, THREE]


def test_what_is_older_than_a_week_is_not_told_any_more():
    ran([THREE - 30 * DAY])
    assert standing().missed == [THREE - n * DAY for n in range(6, -1, -1)]


def test_a_tick_that_is_not_overdue_yet_is_not_missed():
    ran([NOW - HOUR - timedelta(seconds=30)])
    missed = standing(EVERY_MINUTE).missed
    assert missed[-1] == NOW - LIMITS.overdue - timedelta(seconds=30)
    assert len(missed) == 57


def test_late_is_what_was_taken_up_when_it_was_overdue():
    ran([THREE - DAY], LIMITS.overdue)
    ran([THREE], HOUR)
    assert standing().late == [Late(THREE, THREE + HOUR)]
