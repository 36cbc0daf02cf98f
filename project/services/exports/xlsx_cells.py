"""Cells of a worksheet as XML (ECMA-376, part 1, §18.3.1.4), within the limits of Excel.

Every text is an in-line string: whatever it says, it is never a formula, a number or a link.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from project.services.exports.columns import Column, Kind, Row
from project.services.exports.wording import WORDS, one_line_ends

LONGEST_TEXT = 32_767  # in units of UTF-16, as Excel counts
CUT = "…"
# Day 1 is the first of January 1900. From March on all numbers are one more, because Excel knows of a 29th of
# February 1900 that never was.
_DAY_ZERO = date(1899, 12, 31).toordinal()
_FIRST_DAY, _MARCH = date(1900, 1, 1), date(1900, 3, 1)

# Characters that have a meaning in XML, that XML cannot hold, and texts that look like Excel's own escapes.
_SPECIAL = re.compile(r"[&<>\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "_": "_x005F_"}


@dataclass
class Cells:
    """Writes the rows of a sheet.

    Attributes:
        date_style, time_style: Numbers of the styles that show a number as a date or a time.
        cut: How many texts were too long for a cell and were cut, so far.
    """

    columns: Sequence[Column]
    date_style: int
    time_style: int
    cut: int = 0
    _writers: list[tuple[str, Callable[[str, Any], str]]] = field(init=False)

    def __post_init__(self) -> None:
        """Choose for each column how its cells are written."""
        writers: dict[Kind, Callable[[str, Any], str]] = {
            Kind.NUMBER: lambda at, value: f'<c r="{at}"><v>{value}</v></c>',
            Kind.FLAG: lambda at, value: f'<c r="{at}" t="b"><v>{value:d}</v></c>',
            Kind.DATE: self._date,
            Kind.TIME: self._time,
            Kind.TEXT: self._text,
            **{kind: self._listed(kind) for kind in WORDS},
        }
        self._writers = [
            (column_name(place), writers[column.kind]) for place, column in enumerate(self.columns)
        ]

    def row(self, number: int, row: Row) -> str:
        """Write a row; a value that is missing is a cell that is missing."""
        cells = [
            write(f"{name}{number}", value)
            for (name, write), value in zip(self._writers, row, strict=True)
            if value is not None
        ]
        return f'<row r="{number}">{"".join(cells)}</row>'

    def _date(self, at: str, value: date) -> str:
        if value < _FIRST_DAY:  # which Excel has no number for
            return self._text(at, value.isoformat())
        return f'<c r="{at}" s="{self.date_style}"><v>{_serial(value)}</v></c>'

    def _time(self, at: str, value: datetime) -> str:
        if value.date() < _FIRST_DAY:
            return self._text(at, value.isoformat())
        seconds = value.hour * 3600 + value.minute * 60 + value.second
        return f'<c r="{at}" s="{self.time_style}"><v>{_serial(value.date()) + seconds / 86400!r}</v></c>'

    def _text(self, at: str, value: str) -> str:
        if not value:
            return ""
        text = one_line_ends(value)
        if len(text) > LONGEST_TEXT // 2:  # below that even emoji, which count twice, fit
            text = self._fitting(text)
        if _SPECIAL.search(text):
            text = _SPECIAL.sub(_escaped, text)
        return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'

    def _listed(self, kind: Kind) -> Callable[[str, Any], str]:
        return lambda at, value: self._text(at, WORDS[kind](value))

    def _fitting(self, text: str) -> str:
        units = text.encode("utf-16-le")
        if len(units) <= 2 * LONGEST_TEXT:
            return text
        self.cut += 1
        # Half of an emoji at the end is dropped.
        return units[: 2 * (LONGEST_TEXT - len(CUT))].decode("utf-16-le", "ignore") + CUT


def column_name(place: int) -> str:
    """Name the column at `place`, counted from 0, as spreadsheets do: A, B, … Z, AA, AB …"""
    tens, ones = divmod(place, 26)
    return (column_name(tens - 1) if tens else "") + chr(ord("A") + ones)


def _serial(day: date) -> int:
    return day.toordinal() - _DAY_ZERO + (day >= _MARCH)


def _escaped(found: re.Match[str]) -> str:
    return _ESCAPES.get(found[0], "\ufffd")
