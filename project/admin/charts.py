"""Geometry of small charts, drawn on the server: the page needs no script for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil, log10
from typing import NamedTuple

WIDTH, HEIGHT = 600.0, 120.0  # of the drawing, which is stretched to the place there is
_GAP = 0.15  # of a bar's place


class Box(NamedTuple):
    """A part of a bar."""

    x: float
    y: float
    width: float
    height: float
    series: int


@dataclass(frozen=True)
class Chart:
    """What a template draws.

    Attributes:
        summary: What it shows, in a sentence.
        series: Names of the series, in the order of their colours.
        top: The value at the upper edge.
        boxes, lines: What is drawn: parts of bars, or one list of stretches (points of SVG) a series.
        rows: The same as a table: the beginning of a slot, and a value for each series (None: nothing).
    """

    title: str
    summary: str
    unit: str
    series: Sequence[str]
    top: float
    boxes: list[Box]
    lines: list[list[str]]
    rows: list[tuple[datetime, Sequence[float | None]]]

    @property
    def begins(self) -> datetime:
        """The left edge."""
        return self.rows[0][0]

    @property
    def told(self) -> list[tuple[datetime, Sequence[float | None]]]:
        """The rows in which something happened."""
        return [row for row in self.rows if any(row[1])]


def stacked(
    title: str, summary: str, series: Sequence[str], rows: Sequence[tuple[datetime, Sequence[float]]]
) -> Chart:
    """Bars, the first series at the bottom."""
    top = _round_up(max(sum(values) for _, values in rows))
    boxes = [box for place, (_, values) in enumerate(rows) for box in _bar(place, values, len(rows), top)]
    return Chart(title, summary, "", series, top, boxes, [], list(rows))


def drawn(
    title: str,
    summary: str,
    unit: str,
    series: Sequence[str],
    rows: list[tuple[datetime, Sequence[float | None]]],
) -> Chart:
    """Lines, with a gap wherever there is no value."""
    top = _round_up(max((value or 0.0) for _, values in rows for value in values))
    lines = [_stretches([values[number] for _, values in rows], top) for number in range(len(series))]
    return Chart(title, summary, unit, series, top, [], lines, rows)


def _bar(place: int, values: Sequence[float], slots: int, top: float) -> list[Box]:
    wide = WIDTH / slots
    boxes, below = [], 0.0
    for series, value in enumerate(values):
        if value:
            y, height = HEIGHT * (1 - (below + value) / top), HEIGHT * value / top
            boxes.append(Box((place + _GAP / 2) * wide, y, wide * (1 - _GAP), height, series))
        below += value
    return boxes


def _stretches(values: Sequence[float | None], top: float) -> list[str]:
    """Points of neighbouring values. A lonely one becomes a dash as wide as its slot."""
    wide = WIDTH / len(values)
    stretches: list[list[str]] = [[]]
    for place, value in enumerate(values):
        if value is None:
            stretches.append([])
        else:
            stretches[-1].append(f"{(place + 0.5) * wide:.1f},{HEIGHT * (1 - value / top):.1f}")
    return [_widened(points, wide) for points in stretches if points]


def _widened(points: list[str], wide: float) -> str:
    if len(points) > 1:
        return " ".join(points)
    x, y = points[0].split(",")
    return f"{float(x) - wide / 2:.1f},{y} {float(x) + wide / 2:.1f},{y}"


def _round_up(value: float) -> float:
    """The next of 1, 2, 5, 10, 20 …, so that edges of charts are numbers that people read at a glance."""
    if value <= 0:
        return 1.0
    power = 10.0 ** ceil(log10(value) - 1)
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0, 20.0) if step * power >= value)
