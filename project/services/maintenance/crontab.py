"""What a cron line means, by POSIX (crontab, "INPUT FILES").

And by what most crons add to it: steps (``*/15``, ``8-18/2``), names of weekdays, 7 for Sunday, ``@daily`` and
its like. Where they differ from one another, the line is refused.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple, Self

#: The longest time between two days of the same name: from 29 February 2096 to that of 2104.
HORIZON = timedelta(days=8 * 366)

EVERY_MINUTE = "* * * * *"
MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")


class Field(NamedTuple):
    """One of the five, its least and its greatest number, and the names of the first few."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()

    def values(self, text: str) -> Iterator[int]:
        """Return the numbers that `text` stands for.

        Raises:
            ValueError: saying what is wrong.
        """
        for part in text.split(","):
            span, has_step, step = part.partition("/")
            if has_step and not (step.isdecimal() and int(step)):
                raise ValueError(f"{self.name} {part!r}: the step is a number from 1 on")
            if has_step and span != "*" and "-" not in span:
                raise ValueError(f"{self.name} {part!r}: a step is one of a range, or of *")
            low, high = self._bounds(span)
            yield from range(low, high + 1, int(step or 1))

    def _bounds(self, span: str) -> tuple[int, int]:
        if span == "*":
            return self.low, self.high
        first, is_range, last = span.partition("-")
        low, high = self._number(first), self._number(last if is_range else first)
        if low > high:
            raise ValueError(f"{self.name} {span!r}: a range does not run backwards; write it as two")
        return low, high

    def _number(self, word: str) -> int:
        if word.lower() in self.names:
            return self.names.index(word.lower())
        if word.isdecimal() and self.low <= int(word) <= self.high:
            return int(word)
        raise ValueError(f"{self.name} {word!r}: not a number from {self.low} to {self.high}")


FIELDS = (
    Field("minute", 0, 59),
    Field("hour", 0, 23),
    Field("day of the month", 1, 31),
    Field("month", 1, 12),
    Field("weekday", 0, 7, WEEKDAYS),
)


@dataclass(frozen=True)
class Crontab:
    """A cron line, understood.

    Attributes:
        weekdays: Sunday is 0.
        either: Whether a day is right that fits only one of `days` and `weekdays`: both are restricted.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either: bool

    @classmethod
    def parse(cls, line: str) -> Self:
        """Understand a line.

        Raises:
            ValueError: saying what is wrong.
        """
        texts = MACROS.get(line, line).split()
        if len(texts) != len(FIELDS):
            raise ValueError("not five fields, and none of " + " ".join(MACROS))
        minutes, hours, days, months, weekdays = (
            frozenset(field.values(text)) for field, text in zip(FIELDS, texts, strict=True)
        )
        either = not any(text.startswith("*") for text in (texts[2], texts[4]))
        return cls(minutes, hours, days, months, frozenset(day % 7 for day in weekdays), either)

    def fits_day(self, day: date) -> bool:
        """Return whether it runs on this day at all."""
        fits = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return day.month in self.months and (any(fits) if self.either else all(fits))

    def fits(self, moment: datetime) -> bool:
        """Return whether it runs in this minute."""
        return moment.minute in self.minutes and moment.hour in self.hours and self.fits_day(moment.date())

    def on(self, day: date) -> Iterator[datetime]:
        """Return the minutes of a day on which it runs, in order."""
        if self.fits_day(day):
            for hour in sorted(self.hours):
                for minute in sorted(self.minutes):
                    yield datetime.combine(day, time(hour, minute), UTC)

    def latest(self, now: datetime) -> datetime | None:
        """Return the last minute up to `now` in which it ran; None if that is longer ago than `HORIZON`."""
        for back in range(HORIZON.days):
            if moments := [m for m in self.on(now.date() - timedelta(days=back)) if m <= now]:
                return moments[-1]
        return None

    def after(self, moment: datetime) -> Iterator[datetime]:
        """Return the minutes after `moment` in which it runs, in order, as far as `HORIZON`."""
        for ahead in range(HORIZON.days):
            yield from (m for m in self.on(moment.date() + timedelta(days=ahead)) if m > moment)
