"""The frame of a workbook: all of it but the rows, which are written into it as they come.

XlsxWriter makes an empty workbook with heads and styles, so that what Excel wants to see around the rows is
its business. It would also write the rows, but to a temporary file first, four times as slowly, and with a
hole: a text from "<r>" to "</r>" gets into the sheet as XML (version 3.3.1).
"""

import re
from collections.abc import Sequence
from datetime import date, datetime
from io import BytesIO
from typing import NamedTuple
from zipfile import ZipFile

from xlsxwriter import Workbook

from project.services.exports.columns import Column, Kind
from project.services.exports.xlsx_cells import column_name

_SHEET = re.compile(r"xl/worksheets/sheet(\d+)\.xml")
_SAMPLE = re.compile(r'<row r="2".*?</row>', re.DOTALL)
_STYLE = re.compile(r'<c r="[A-Z]+2" s="(\d+)">')
_DIMENSION = re.compile(r'<dimension ref="[^"]*"/>')
_WIDTHS = {Kind.NUMBER: 10, Kind.DATE: 12, Kind.DAYS: 12, Kind.FLAG: 10, Kind.TIME: 22}
_USUAL_WIDTH = 24


class SheetFrame(NamedTuple):
    """A sheet without its rows: its name in the archive, and what comes before and after them."""

    name: str
    before: bytes
    after: bytes


class Frame(NamedTuple):
    """The parts of a workbook, by their names, and its sheets, and the styles of dates and times."""

    parts: dict[str, bytes]
    sheets: list[SheetFrame]
    date_style: int
    time_style: int


def frame(columns: Sequence[Column], titles: Sequence[str], rows: Sequence[int], *, zone: str) -> Frame:
    """Make the frame of a workbook with sheets named `titles` that will hold so many `rows`, heads aside.

    The head of a column of times names the `zone`, because a cell cannot.
    """
    with ZipFile(_empty_workbook(columns, titles, zone)) as workbook:
        parts = {name: workbook.read(name) for name in workbook.namelist()}
    found = sorted((int(match[1]), name) for name in parts if (match := _SHEET.fullmatch(name)))
    contents = {name: parts.pop(name).decode() for _, name in found}
    date_style, time_style = map(int, _STYLE.findall(next(iter(contents.values()))))
    sheets = [
        _sheet_frame(name, content, f"A1:{column_name(len(columns) - 1)}{count + 1}")
        for (name, content), count in zip(contents.items(), rows, strict=True)
    ]
    return Frame(parts, sheets, date_style, time_style)


def _empty_workbook(columns: Sequence[Column], titles: Sequence[str], zone: str) -> BytesIO:
    content = BytesIO()
    with Workbook(content, {"in_memory": True}) as workbook:
        head = workbook.add_format({"bold": True})
        date_format = workbook.add_format({"num_format": "yyyy-mm-dd"})
        time_format = workbook.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        for title in titles:
            sheet = workbook.add_worksheet(title)
            sheet.freeze_panes(1, 0)
            for place, column in enumerate(columns):
                sheet.set_column(place, place, _WIDTHS.get(column.kind, _USUAL_WIDTH))
                sheet.write_string(0, place, _head(column, zone), head)
            # A row that is cut out again: it tells the numbers of the two styles.
            sheet.write_datetime(1, 0, date(2000, 1, 1), date_format)
            sheet.write_datetime(1, 1, datetime(2000, 1, 1), time_format)  # noqa: DTZ001 (cells have no zone)
    return content


def _head(column: Column, zone: str) -> str:
    return f"{column.title} ({zone})" if column.kind is Kind.TIME else column.title


def _sheet_frame(name: str, content: str, extent: str) -> SheetFrame:
    before, after = _SAMPLE.split(_DIMENSION.sub(f'<dimension ref="{extent}"/>', content, count=1))
    return SheetFrame(name, before.encode(), after.encode())
