"""Small tables, and what independent readers make of them."""

import csv
import io
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from zipfile import ZipFile

from openpyxl import load_workbook
from openpyxl.workbook import Workbook
from python_calamine import CalamineWorkbook

from project.services.exports.columns import Column, Kind, Row
from project.services.exports.csv_file import csv_file
from project.services.exports.json_file import json_file
from project.services.exports.xlsx_file import xlsx_file

AT = datetime(2026, 3, 4, 5, 6, 8, tzinfo=UTC)


def columns(*kinds: Kind) -> list[Column]:
    return [Column(f"column_{number}", kind, "") for number, kind in enumerate(kinds, start=1)]


def batches(rows: Iterable[Row], size: int = 1000) -> Iterable[list[Row]]:
    iterator = iter(rows)
    return iter(lambda: list(islice(iterator, size)), [])


def as_csv(kinds: Sequence[Kind], rows: Iterable[Row]) -> bytes:
    return b"".join(csv_file(columns(*kinds), batches(rows)))


def as_json(kinds: Sequence[Kind], rows: Iterable[Row]) -> bytes:
    return b"".join(json_file(columns(*kinds), batches(rows)))


def as_xlsx(kinds: Sequence[Kind], rows: Sequence[Row], **options: Any) -> bytes:
    given = {"total": len(rows), "title": "Issues", "zone": "UTC", "at": AT, "note_cut": lambda _: None}
    return b"".join(xlsx_file(columns(*kinds), batches(rows), **{**given, **options}))


def csv_records(content: bytes) -> list[list[str]]:
    """All records but the head, by the standard library."""
    csv.field_size_limit(10_000_000)
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))[1:]


def csv_cells(*texts: str) -> list[str]:
    """What a reader gets for a column of these texts; each in a record of its own."""
    records = csv_records(as_csv([Kind.TEXT, Kind.NUMBER], [(text, 1) for text in texts]))
    return [text for text, _ in records]


def workbook(content: bytes) -> Workbook:
    return load_workbook(io.BytesIO(content))


def xlsx_cells(*texts: str) -> list[object]:
    """What openpyxl reads for a column of these texts, which calamine must read, too."""
    content = as_xlsx([Kind.TEXT, Kind.NUMBER], [(text, 1) for text in texts])
    cells = [row[0].value for row in workbook(content).worksheets[0].iter_rows(min_row=2)]
    other = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0).to_python()[1:]
    assert [row[0] for row in other] == [cell or "" for cell in cells]
    return cells


def sheet_xml(content: bytes, number: int = 1) -> str:
    with ZipFile(io.BytesIO(content)) as parts:
        return parts.read(f"xl/worksheets/sheet{number}.xml").decode()
