import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from periodiq import cron

from project.services.maintenance.crontab import MACROS, Crontab
from scheduler.check import fault, faults
from scheduler.schedule import SCHEDULE, Entry

BEGIN = datetime(2026, 3, 2, tzinfo=UTC)
START = BEGIN.date()
DAY = 24 * 60  # minutes
YEAR = 366 * DAY


def minutes_from(begin: datetime, count: int) -> list[datetime]:
    return [begin + timedelta(minutes=n) for n in range(count)]


def test_the_schedule_is_sound() -> None:
    assert faults(SCHEDULE, START) == []


@pytest.mark.parametrize(
    "line",
    [
        "* * * * *",
        "0 3 * * *",
        "*/5 * * * *",
        "0 0 * * 0,7",
        "0 8-18/2 1,15 * mon-fri",
        "@daily",
        "0 0 29 2 *",
    ],
)
def test_lines_that_mean_the_same_to_everybody_are_accepted(line: str) -> None:
    assert fault(line, START) is None


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("0 0 * * 0", "does not run it on Sunday"),
        ("0 0 * * sun", "does not run it on Sunday"),
        ("0 0 * * 0-6", "does not run it on Sunday"),
        ("0 0 * * */2", "does not run it on Sunday"),
        ("@weekly", "does not run it on Sunday"),
        ("0 0 1-31 * mon", "does not run it on Tuesday"),  # one of the two will do, and all days fit one
        ("0 0 1 * 0-7", "does not run it"),
        ("0 0 */2 * mon", "runs it"),
        ("0 22-6 * * *", "backwards"),
        ("75 0 * * *", "not a number"),
        ("0 0 30 2 *", "no such day"),
        ("0 0 31 4,6 *", "no such day"),
    ],
)
def test_what_would_run_at_other_times_or_never_is_refused(line: str, wrong: str) -> None:
    assert wrong in (fault(line, START) or "")


def test_a_refusal_names_actor_line_and_fault() -> None:
    weekly = Entry(SCHEDULE[0].actor, "@weekly", "why not")
    [refusal] = faults([*SCHEDULE, weekly], START)
    assert refusal.startswith(
        "stack_digests, '@weekly': periodiq does not run it on Sunday 2026-03-08 at 00:00"
    )


def test_a_dozen_entries_are_checked_in_well_under_a_second() -> None:
    dozen = [Entry(SCHEDULE[0].actor, f"*/{n} 3 {n} * *", "why not") for n in range(1, 13)]
    began = time.process_time()
    assert faults(dozen, START) == []
    assert time.process_time() - began < 0.7


def parts(low: int, high: int, *names: str) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    span = st.tuples(number, number).map(sorted).map(lambda ends: f"{ends[0]}-{ends[1]}")
    stepped = st.tuples(st.just("*") | span, st.integers(1, high)).map(lambda pair: f"{pair[0]}/{pair[1]}")
    part = st.one_of(number.map(str), span, stepped, st.sampled_from(["*", *names]))
    return st.just("*") | st.lists(part, min_size=1, max_size=2).map(",".join)


LINES = st.tuples(
    parts(0, 59), parts(0, 23), parts(1, 31), parts(1, 12), parts(0, 7, "sun", "tue", "FRI")
).map(" ".join) | st.sampled_from(sorted(MACROS))


@given(line=LINES, days=st.lists(st.integers(0, 8 * 365), min_size=3, max_size=3))
def test_an_accepted_line_runs_in_the_right_minutes_of_any_days(line: str, days: list[int]) -> None:
    if fault(line, START) is None:
        spec, meant = cron(line), Crontab.parse(line)
        for day in days:
            moments = minutes_from(BEGIN + timedelta(days=day), DAY)
            assert [m for m in moments if spec.validate(m)] == list(meant.on(moments[0].date()))


@pytest.mark.parametrize("line", ["0 0 * * 0", "*/7 5 * 3 1-5", "0 12 13 * fri"])
def test_the_quick_check_decides_like_one_of_every_minute_of_a_year(line: str) -> None:
    spec, meant = cron(line), Crontab.parse(line)
    agreed = all(spec.validate(moment) == meant.fits(moment) for moment in minutes_from(BEGIN, YEAR))
    assert (fault(line, START) is None) == agreed
