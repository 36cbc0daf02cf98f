"""When groups are due: the cases that were agreed on, and the law that the claim's thresholds say the same."""

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.limits import Limits
from project.models import MailMode, MailSchedule
from project.services.digests.windows import Gathered, Wish, due, pace
from project.services.digests.wording import zone_named

LIMITS = Limits()
T0 = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
NIGHT = {"quiet_from": time(22), "quiet_until": time(7)}


def after(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def wish(zone: str = "UTC", **schedule: object) -> Wish:
    return Wish(MailSchedule(**schedule), zone_named(zone))


def due_at(gathered: Gathered, wanted: Wish = wish()) -> datetime:  # noqa: B008
    return due(gathered, wanted, now=gathered.last, limits=LIMITS).at


@pytest.mark.parametrize(
    ("first", "last", "mailed_at", "at"),
    [
        (0, 0, None, 120),
        (0, 100, None, 220),
        (0, 290, None, 300),  # the cap
        (121, 121, 121, 421),  # the gap after the last mail
        (121, 400, 121, 421),  # … and the cap, which is later than the window
        (0, 0, -200, 120),  # a gap that is over sooner
    ],
)
def test_lines_wait_for_quiet_or_the_cap_and_for_the_gap_after_the_last_mail(first, last, mailed_at, at):
    mailed = None if mailed_at is None else after(mailed_at)
    assert due_at(Gathered(after(first), after(last), mailed_at=mailed)) == after(at)


def test_a_mention_takes_the_lines_of_its_issue_along_and_knows_no_gap():
    assert due_at(Gathered(T0, after(60), after(60))) == after(90)
    assert due_at(Gathered(after(60), after(60), after(60), mailed_at=after(50))) == after(90)


BERLIN = "Europe/Berlin"


@pytest.mark.parametrize(
    ("zone", "schedule", "came", "mention", "at", "because"),
    [
        (BERLIN, NIGHT, "2026-03-28T23:30+01:00", False, "2026-03-29T07:00+02:00",
         "waits: quiet hours until 07:00 Europe/Berlin"),
        (BERLIN, NIGHT, "2026-03-28T23:30+01:00", True, "2026-03-28T23:30:30+01:00",
         "then a mention is 0:00:30 old"),
        (BERLIN, {**NIGHT, "mentions_at_once": False}, "2026-03-28T23:30+01:00", True, "2026-03-29T07:00+02:00",
         "waits: quiet hours until 07:00 Europe/Berlin"),
        (BERLIN, NIGHT, "2026-03-10T06:59+01:00", False, "2026-03-10T07:01+01:00",
         "then nothing was added for 0:02:00"),
        (BERLIN, NIGHT, "2026-03-10T21:59+01:00", False, "2026-03-11T07:00+01:00",
         "waits: quiet hours until 07:00 Europe/Berlin"),
        (BERLIN, {"mode": "instant"}, "2026-03-10T12:00+01:00", False, "2026-03-10T12:00+01:00",
         "they want mail at once"),
        (BERLIN, {"mode": "instant"}, "2026-03-10T12:00+01:00", True, "2026-03-10T12:00+01:00",
         "they want mail at once"),
        (BERLIN, {"mode": "instant", **NIGHT}, "2026-03-10T23:00+01:00", False, "2026-03-11T07:00+01:00",
         "waits: quiet hours until 07:00 Europe/Berlin"),
        ("Europe/Istanbul", {"mode": "daily", "daily_at": time(8)}, "2026-03-10T08:01+03:00", False,
         "2026-03-11T08:00+03:00", "waits: the daily mail at 08:00 Europe/Istanbul"),
        ("Europe/Istanbul", {"mode": "daily", "daily_at": time(8)}, "2026-03-10T08:01+03:00", True,
         "2026-03-10T08:01:30+03:00", "then a mention is 0:00:30 old"),
        ("Europe/Istanbul", {"mode": "daily", "daily_at": time(8), "mentions_at_once": False},
         "2026-03-10T08:01+03:00", True, "2026-03-11T08:00+03:00",
         "waits: the daily mail at 08:00 Europe/Istanbul"),
        (BERLIN, {"mode": "daily", "daily_at": time(23), **NIGHT}, "2026-03-10T12:00+01:00", False,
         "2026-03-11T07:00+01:00", "waits: quiet hours until 07:00 Europe/Berlin"),
        # Who gets no mail has lines that are closed with that reason, as soon as others would be mailed.
        (BERLIN, {"mode": "off", **NIGHT}, "2026-03-10T23:00+01:00", False, "2026-03-10T23:02+01:00",
         "then nothing was added for 0:02:00"),
        ("Mars/Phobos", NIGHT, "2026-03-10T21:59+00:00", False, "2026-03-11T07:00+00:00",
         "waits: quiet hours until 07:00 UTC"),
    ],
)  # fmt: skip
def test_what_the_receiver_wants_moves_the_mail(zone, schedule, came, mention, at, because):
    moment = datetime.fromisoformat(came)
    gathered = Gathered(moment, moment, moment if mention else None)
    found = due(gathered, wish(zone, **schedule), now=moment, limits=LIMITS)
    assert (found.at, found.because) == (datetime.fromisoformat(at), because)


def test_a_group_that_was_due_before_quiet_hours_began_waits_for_their_end():
    evening = datetime(2026, 3, 10, 21, 50, tzinfo=UTC)
    late = datetime(2026, 3, 10, 22, 5, tzinfo=UTC)  # no stacker looked meanwhile
    found = due(Gathered(evening, evening), wish(**NIGHT), now=late, limits=LIMITS)
    assert found.at == datetime(2026, 3, 11, 7, 0, tzinfo=UTC)


TIMES = st.none() | st.tuples(st.integers(0, 23), st.integers(0, 23)).filter(lambda pair: pair[0] != pair[1])
SCHEDULES = st.builds(
    lambda mode, hour, quiet, at_once: MailSchedule(
        mode=mode,
        daily_at=time(hour),
        quiet_from=time(quiet[0]) if quiet else None,
        quiet_until=time(quiet[1]) if quiet else None,
        mentions_at_once=at_once,
    ),
    st.sampled_from(MailMode),
    st.integers(0, 23),
    TIMES,
    st.booleans(),
)
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia"])
AGES = st.integers(0, 600) | st.integers(0, 2 * 86400)


@given(
    SCHEDULES,
    ZONES,
    st.integers(0, 30 * 86400),
    st.tuples(AGES, AGES, AGES, AGES),
    st.booleans(),
    st.booleans(),
)
def test_the_thresholds_of_the_claim_say_what_the_windows_say(schedule, zone, at, ages, mention, mailed):
    now = datetime(2026, 3, 15, tzinfo=UTC) + timedelta(seconds=at)
    first, mentioned, last = (now - timedelta(seconds=age) for age in sorted(ages[:3], reverse=True))
    gathered = Gathered(
        first, last, mentioned if mention else None, now - timedelta(seconds=ages[3]) if mailed else None
    )
    wanted = Wish(schedule, zone_named(zone))
    level = pace(wanted, now=now, limits=LIMITS)
    ordinary = (last <= level.quiet_since or first <= level.oldest) and not (
        gathered.mailed_at and gathered.mailed_at > level.mailed_since
    )
    urgent = gathered.mention is not None and gathered.mention <= level.mentioned
    assert (due(gathered, wanted, now=now, limits=LIMITS).at <= now) == (ordinary or urgent)
