from datetime import UTC, date, datetime, timedelta
from itertools import islice

import pytest

from project.services.maintenance.crontab import MACROS, Crontab


def minutes_of(line: str, first: date, days: int) -> list[str]:
    """The minutes in which a line runs on some days, as text."""
    crontab = Crontab.parse(line)
    found = [moment for n in range(days) for moment in crontab.on(first + timedelta(days=n))]
    assert all(crontab.fits(moment) for moment in found)
    return [f"{moment:%a %d %H:%M}" for moment in found]


def days_of(line: str, first: date = date(2026, 3, 1), days: int = 31) -> list[int]:
    crontab = Crontab.parse(line)
    return [day.day for day in (first + timedelta(days=n) for n in range(days)) if crontab.fits_day(day)]


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("30 2 * * *", ["Sun 01 02:30", "Mon 02 02:30"]),
        ("5,35 22-23 1 3 *", ["Sun 01 22:05", "Sun 01 22:35", "Sun 01 23:05", "Sun 01 23:35"]),
        ("*/20 8-12/4 * * mon", [f"Mon 02 {h}:{m}" for h in ("08", "12") for m in ("00", "20", "40")]),
        ("0 0 1-2/2,2 * *", ["Sun 01 00:00", "Mon 02 00:00"]),
        ("0 0 * 4-12 *", []),
    ],
)
def test_fields_lists_ranges_and_steps(line: str, meant: list[str]) -> None:
    assert minutes_of(line, date(2026, 3, 1), 2) == meant


@pytest.mark.parametrize("sunday", ["0", "7", "sun", "SUN", "0,7", "*/7"])
def test_sunday_has_two_numbers_and_a_name(sunday: str) -> None:
    assert days_of(f"0 0 * * {sunday}") == [1, 8, 15, 22, 29]


def test_if_both_days_are_restricted_one_of_them_will_do() -> None:
    assert days_of("0 0 13 * fri") == [6, 13, 20, 27]
    assert days_of("0 0 10 * fri") == [6, 10, 13, 20, 27]
    assert days_of("0 0 * * fri") == [6, 13, 20, 27]
    assert days_of("0 0 10 * *") == [10]


def test_macros_are_short_for_lines() -> None:
    for macro, line in MACROS.items():
        assert Crontab.parse(macro) == Crontab.parse(line)
    assert days_of("@weekly") == [1, 8, 15, 22, 29]


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("* * * *", "five fields"),
        ("* * * * * *", "five fields"),
        ("@reboot", "five fields"),
        ("60 * * * *", "minute '60': not a number from 0 to 59"),
        ("0 24 * * *", "hour '24'"),
        ("0 0 0 * *", "day of the month '0'"),
        ("0 0 1 jan *", "month 'jan'"),
        ("0 0 * * 8", "weekday '8'"),
        ("0 0 * * sunday", "weekday 'sunday'"),
        ("+5 0 * * *", "minute '[+]5'"),
        ("1,,2 0 * * *", "minute ''"),
        ("0 22-6 * * *", "hour '22-6': a range does not run backwards"),
        ("0 0 * * fri-sun", "weekday 'fri-sun'"),
        ("5/10 * * * *", "minute '5/10': a step is one of a range"),
        ("*/0 * * * *", "minute '[*]/0': the step"),
        ("*/ * * * *", "minute '[*]/': the step"),
    ],
)
def test_what_crons_do_not_agree_on_is_refused(line: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        Crontab.parse(line)


@pytest.mark.parametrize(
    ("line", "now", "latest"),
    [
        ("0 3 * * *", "2026-03-01T03:00:59", "2026-03-01T03:00"),
        ("0 3 * * *", "2026-03-01T02:59:59", "2026-02-28T03:00"),
        ("0 3,12 * * mon", "2026-03-01T00:00", "2026-02-23T12:00"),
        ("0 0 29 2 *", "2104-02-28T23:59", "2096-02-29T00:00"),
        ("0 0 30 2 *", "2026-03-01T00:00", None),
    ],
)
def test_when_it_was_due_last(line: str, now: str, latest: str | None) -> None:
    found = Crontab.parse(line).latest(datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert found == (latest and datetime.fromisoformat(latest).replace(tzinfo=UTC))


@pytest.mark.parametrize(
    ("line", "now", "coming"),
    [
        ("0 3 * * *", "2026-03-01T03:00", ["2026-03-02T03:00", "2026-03-03T03:00"]),
        ("*/20 23 * * *", "2026-02-28T23:20:01", ["2026-02-28T23:40", "2026-03-01T23:00"]),
        ("0 0 29 2 *", "2096-02-28T23:59", ["2096-02-29T00:00", "2104-02-29T00:00"]),
    ],
)
def test_when_it_will_be_due(line: str, now: str, coming: list[str]) -> None:
    found = islice(Crontab.parse(line).after(datetime.fromisoformat(now).replace(tzinfo=UTC)), 2)
    assert [f"{moment:%Y-%m-%dT%H:%M}" for moment in found] == coming
