"""Clocks change in many zones, and so do the times of day at which local cron lines run. UTC has none of it."""

import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from periodiq import cron

from tests.architecture import ROOT

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def runs(line: str, zone: str) -> list[datetime]:
    """When periodiq runs a line in 2026, minute by minute of real time, as the clocks of a zone show it."""
    spec, begin, local = cron(line), datetime(2026, 1, 1, tzinfo=UTC), ZoneInfo(zone)
    minutes = ((begin + timedelta(minutes=n)).astimezone(local) for n in range(365 * 24 * 60))
    return [minute for minute in minutes if spec.validate(minute)]


@pytest.mark.parametrize(("line", "every"), [("0 3 * * *", DAY), ("30 2 * * *", DAY), ("0 * * * *", HOUR)])
def test_a_year_in_utc_has_no_gap_and_no_overlap(line: str, every: timedelta) -> None:
    found = runs(line, "UTC")
    assert len(found) == timedelta(days=365) / every
    assert {later - earlier for earlier, later in pairwise(found)} == {every}


def test_in_local_time_the_same_line_loses_a_day_and_doubles_another() -> None:
    days = [run.date() for run in runs("30 2 * * *", "Europe/Paris")]
    assert date(2026, 3, 29) not in days
    assert days.count(date(2026, 10, 25)) == 2


def test_the_scheduler_lives_in_utc_wherever_its_host_is() -> None:
    assert settings.TIME_ZONE == "UTC"
    told = subprocess.run(
        [sys.executable, "-c", "import scheduler.__main__, pendulum; print(pendulum.now().utcoffset())"],
        cwd=ROOT,
        env=os.environ | {"TZ": "Europe/Paris"},
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert told.stdout == "0:00:00\n"
