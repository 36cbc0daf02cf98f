from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.services.digests.local_time import daily_after, daily_before, quiet_until

BERLIN = ZoneInfo("Europe/Berlin")
ISTANBUL = ZoneInfo("Europe/Istanbul")
NEW_YORK = ZoneInfo("America/New_York")
ZONES = [
    UTC,
    BERLIN,
    NEW_YORK,
    ISTANBUL,
    *map(ZoneInfo, ("Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Kiritimati")),
]
MOMENTS = st.datetimes(datetime(2008, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("now", "zone", "begin", "end", "until"),
    [
        ("2026-03-10T11:59+01:00", BERLIN, "12:00", "14:00", None),
        ("2026-03-10T12:00+01:00", BERLIN, "12:00", "14:00", "2026-03-10T14:00+01:00"),
        ("2026-03-10T14:00+01:00", BERLIN, "12:00", "14:00", None),
        ("2026-03-10T23:00+03:00", ISTANBUL, "22:00", "08:00", "2026-03-11T08:00+03:00"),
        ("2026-03-11T07:59+03:00", ISTANBUL, "22:00", "08:00", "2026-03-11T08:00+03:00"),
        # The nights of the clock changes are an hour shorter and an hour longer.
        ("2026-03-28T23:30+01:00", BERLIN, "22:00", "07:00", "2026-03-29T05:00+00:00"),
        ("2026-10-24T23:30+02:00", BERLIN, "22:00", "07:00", "2026-10-25T06:00+00:00"),
        # 02:30 is skipped: half past three. It comes twice: the first of them.
        ("2026-03-29T01:59+01:00", BERLIN, "22:00", "02:30", "2026-03-29T01:30+00:00"),
        ("2026-10-25T00:29+00:00", BERLIN, "22:00", "02:30", "2026-10-25T00:30+00:00"),
        ("2026-10-25T00:30+00:00", BERLIN, "22:00", "02:30", None),
        ("2026-10-25T01:29+00:00", BERLIN, "22:00", "02:30", None),
        # Quiet from 02:30 on, in the night without it.
        ("2026-03-29T03:15+02:00", BERLIN, "02:30", "05:00", None),
        ("2026-03-29T03:30+02:00", BERLIN, "02:30", "05:00", "2026-03-29T05:00+02:00"),
    ],
)  # fmt: skip
def test_quiet_hours_end_by_the_clock_of_the_receiver(now, zone, begin, end, until):
    found = quiet_until(at(now), time.fromisoformat(begin), time.fromisoformat(end), zone)
    assert found == (at(until) if until else None)


def test_nothing_is_quiet_without_quiet_hours():
    assert quiet_until(at("2026-03-10T03:00+00:00"), None, None, BERLIN) is None


@pytest.mark.parametrize(
    ("now", "zone", "hour", "before", "after"),
    [
        ("2026-03-10T08:00+03:00", ISTANBUL, "08:00", "2026-03-10T08:00+03:00", "2026-03-10T08:00+03:00"),
        ("2026-03-10T07:59+03:00", ISTANBUL, "08:00", "2026-03-09T08:00+03:00", "2026-03-10T08:00+03:00"),
        ("2026-03-29T12:00+02:00", BERLIN, "02:30", "2026-03-29T01:30+00:00", "2026-03-30T00:30+00:00"),
        ("2026-10-25T01:00+00:00", BERLIN, "02:30", "2026-10-25T00:30+00:00", "2026-10-26T01:30+00:00"),
        # Samoa went from 29 to 31 December, without the 30th.
        ("2011-12-29T23:00-10:00", ZoneInfo("Pacific/Apia"), "08:00", "2011-12-29T08:00-10:00",
         "2011-12-31T08:00+14:00"),
    ],
)  # fmt: skip
def test_the_daily_moments_around_a_moment(now, zone, hour, before, after):
    given_time = time.fromisoformat(hour)
    assert daily_before(at(now), given_time, zone) == at(before)
    assert daily_after(at(now), given_time, zone) == at(after)


@given(MOMENTS, st.times(), st.sampled_from(ZONES))
def test_daily_moments_come_once_a_day_and_before_and_after_name_the_same_ones(now, hour, zone):
    hour = hour.replace(second=0, microsecond=0)
    before, after = daily_before(now, hour, zone), daily_after(now, hour, zone)
    assert before <= now <= after
    assert daily_after(before, hour, zone) == before
    assert daily_before(after, hour, zone) == after
    if before != after:
        assert daily_after(before + timedelta(seconds=1), hour, zone) == after
        assert timedelta(hours=22) <= after - before <= timedelta(hours=49)


@given(MOMENTS, st.times(), st.times(), st.sampled_from(ZONES))
def test_quiet_hours_end_and_are_over_then(now, begin, end, zone):
    begin, end = (t.replace(second=0, microsecond=0) for t in (begin, end))
    until = quiet_until(now, begin, end, zone)
    if begin != end and until:
        assert now < until <= now + timedelta(hours=50)
        changed = zone.utcoffset(until - timedelta(days=1)) != zone.utcoffset(until + timedelta(days=1))
        assert until.astimezone(zone).time() == end or changed
