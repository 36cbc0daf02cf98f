"""``manage.py schedule``."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from project.models import RunStatus, ScheduleRun
from scheduler.schedule import SCHEDULE
from tests.management.ran import refused, run, run_json

pytestmark = pytest.mark.django_db
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def two_o_clock(days_ago: int) -> datetime:
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - days_ago * DAY + 2 * HOUR


def ran(tick: datetime, late: timedelta = timedelta(0), **fields) -> None:
    at = tick + late
    given = {"status": RunStatus.DONE, "ended_at": at + timedelta(seconds=12), **fields}
    ScheduleRun.objects.create(actor="delete_for_good", tick=tick, taken_up_at=at, started_at=at, **given)


def test_every_entry_is_told_with_its_next_twenty_ticks():
    found, text = run_json("schedule"), run("schedule")
    assert [one["actor"] for one in found] == [entry.actor.actor_name for entry in SCHEDULE]
    assert {len(one["next"]) for one in found} == {20}
    assert all(one["reason"] in text for one in found)
    assert "last    never" in text


def test_the_last_run_and_what_went_wrong_are_told():
    for days_ago in (5, 4, 2):
        ran(two_o_clock(days_ago))
    ran(two_o_clock(0), 5 * HOUR, outcome="deleted issues 3; held states 1")
    today, missed = f"{two_o_clock(0):%Y-%m-%d}", f"{two_o_clock(1):%Y-%m-%d}"
    text = run("schedule", "delete_for_good")
    assert f"last    {today} 02:00:00 UTC: done after 12.00 s: deleted issues 3; held states 1" in text
    assert f"missed  2 in 7 days, the last {missed} 02:00:00 UTC; of several the last is caught up" in text
    assert f"late    1 in 7 days, the last {today} 02:00:00 UTC, taken up at {today} 07:00:00 UTC" in text
    (found,) = run_json("schedule", "delete_for_good")
    assert (found["last"]["seconds"], len(found["missed"]), len(found["late"])) == (12, 2, 1)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": RunStatus.FAILED, "reason": "OSError('away')"}, "failed after 12.00 s: OSError('away')"),
        ({"status": RunStatus.RUNNING, "ended_at": None}, "running since"),
    ],
)
def test_how_it_ended_is_told(fields, words):
    ran(two_o_clock(1), **fields)
    assert words in run("schedule", "delete_for_good")


def test_an_actor_that_is_not_there_is_answered_with_those_that_are():
    assert "Not in the schedule: tidy. There are: stack_digests, sweep," in refused(
        "schedule", "tidy", "sweep"
    )
