"""Which lines are late: one answer, whoever is asked, and never before the windows say that they are due."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from project.limits import Limits
from project.models import LONGEST_DAY, MailMode, MailSchedule
from project.services.digests.windows import Gathered, Wish, due
from project.services.maintenance.verify import verify
from project.services.operations.backlog import backlogs, late
from tests.factories import make_issue, make_team
from tests.services.digests.lines import NOW, make_activity, make_log

LIMITS = Limits(window_gap=timedelta(seconds=400))
DAILY = {"mode": MailMode.DAILY, "daily_at": time(2, 30)}
QUIET = {"quiet_from": time(2, 30), "quiet_until": time(2, 15)}
#: What somebody may want, and how many days their mail may wait for it.
WISHES = pytest.mark.parametrize(
    ("wish", "days"),
    [
        ({}, 0),
        ({"mode": MailMode.INSTANT}, 0),
        ({"mode": MailMode.OFF}, 0),
        (DAILY, 1),
        (QUIET, 1),
        (DAILY | QUIET, 2),
    ],
)


def longest(days: int) -> timedelta:
    return days * LONGEST_DAY + LIMITS.line_wait


@WISHES
def test_no_line_waits_for_longer_than_is_allowed_for(wish: dict[str, Any], days: int):
    """Mailed about a moment ago, at each quarter of an hour around the night in which clocks are set back."""
    wanted = Wish(MailSchedule(**wish), ZoneInfo("Europe/Berlin"))
    moments = [datetime(2026, 10, 23, tzinfo=UTC) + n * timedelta(minutes=15) for n in range(4 * 96)]
    waits = [due(Gathered(at, at, None, at), wanted, now=at, limits=LIMITS).at - at for at in moments]
    assert max(waits) <= longest(days)
    assert max(waits) >= days * timedelta(hours=23)


@WISHES
@pytest.mark.django_db
def test_a_line_is_late_for_the_metrics_when_it_is_for_the_check(wish: dict[str, Any], days: int):
    team = make_team()
    bob, activity = team.members["bob"], make_activity(make_issue(team), team.members["ann"])
    MailSchedule.objects.create(user=bob, **wish)
    make_log(bob, activity, created_at=NOW - longest(days) - LIMITS.patience)
    assert (verify(now=NOW, limits=LIMITS), late(backlogs(now=NOW), LIMITS)) == ([], {})
    soon = NOW + timedelta(seconds=1)
    assert [finding.check.name for finding in verify(now=soon, limits=LIMITS)] == ["line_is_claimed_in_time"]
    assert late(backlogs(now=soon), LIMITS).keys() == {"line"}
