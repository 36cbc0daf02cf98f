import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zipfile import ZipFile

import pytest
from python_calamine import CalamineWorkbook
from xlsxwriter import Workbook

from project.services.exports.columns import Kind, Row
from project.services.exports.xlsx_file import SHEET_ROWS, xlsx_file
from tests.services.exports.tables import AT, as_xlsx, batches, columns, sheet_xml, workbook


def read(content: bytes) -> dict[str, list[list[Any]]]:
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


@pytest.mark.parametrize(
    ("total", "sheets"), [(0, [0]), (1, [1]), (10, [10]), (11, [10, 1]), (20, [10, 10]), (25, [10, 10, 5])]
)
def test_rows_go_on_on_the_next_sheet_and_none_is_lost(total: int, sheets: list[int]) -> None:
    content = as_xlsx([Kind.NUMBER], [(n,) for n in range(total)], sheet_rows=10)
    found = read(content)
    assert list(found) == ["Issues", "Issues (2)", "Issues (3)"][: len(sheets)]
    assert [rows[0] for rows in found.values()] == [["Column 1"]] * len(sheets)
    assert [int(n) for rows in found.values() for (n,) in rows[1:]] == list(range(total))
    assert [sheet.max_row - 1 for sheet in workbook(content).worksheets] == sheets
    for number, count in enumerate(sheets, start=1):
        assert f'<dimension ref="A1:A{count + 1}"/>' in sheet_xml(content, number)


def test_the_limit_is_excels() -> None:
    assert SHEET_ROWS + 1 == 1_048_576


def test_two_full_sheets_of_excels_size() -> None:
    total = SHEET_ROWS + 1
    content = as_xlsx([Kind.NUMBER], range_of_rows(total))
    first, second = (sheet_xml(content, number) for number in (1, 2))
    assert first.count("<row ") == SHEET_ROWS + 1
    assert second.count("<row ") == 2
    assert f'<row r="{SHEET_ROWS + 1}">' in first
    assert f"<v>{total - 1}</v>" in second


class range_of_rows(list[Row]):
    """So many rows of one number, made as they are read."""

    def __init__(self, total: int) -> None:
        self.total = total

    def __len__(self) -> int:
        return self.total

    def __iter__(self) -> Iterator[Row]:
        return ((n,) for n in range(self.total))


def test_every_part_is_well_formed(tmp_path: Path) -> None:
    file = tmp_path / "book.xlsx"
    file.write_bytes(as_xlsx(list(Kind)[:5], [("<&>", 1, AT.date(), AT, True)], title="A & <B>"))
    with ZipFile(file) as parts:
        for name in parts.namelist():
            ElementTree.fromstring(parts.read(name))
        assert parts.testzip() is None
    assert workbook(file.read_bytes()).sheetnames == ["A & <B>"]


def test_heads_are_bold_stay_in_sight_and_name_the_zone_of_times() -> None:
    sheet = workbook(as_xlsx([Kind.TEXT, Kind.TIME], [], zone="Asia/Kathmandu")).active
    assert [cell.value for cell in sheet[1]] == ["Column 1", "Column 2 (Asia/Kathmandu)"]
    assert all(cell.font.bold for cell in sheet[1])
    assert sheet.freeze_panes == "A2"


def test_cells_are_those_that_xlsxwriter_writes() -> None:
    kinds = [Kind.TEXT, Kind.NUMBER, Kind.DATE, Kind.TIME]
    rows = [(f"text & {n}\n<{n}>", n, AT.date(), AT.replace(minute=n % 60)) for n in range(200)]
    ours, theirs = workbook(as_xlsx(kinds, rows)).active, workbook(by_xlsxwriter(rows)).active
    for mine, other in zip(ours.iter_rows(min_row=2), theirs.iter_rows(min_row=2), strict=True):
        for a, b in zip(mine, other, strict=True):
            assert (a.value, a.number_format, a.data_type) == (b.value, b.number_format, b.data_type)


def by_xlsxwriter(rows: list[Row]) -> bytes:
    content = io.BytesIO()
    with Workbook(content, {"in_memory": True, "remove_timezone": True}) as book:
        sheet = book.add_worksheet()
        day, time = (book.add_format({"num_format": f}) for f in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"))
        for number, row in enumerate(rows, start=1):
            sheet.write_string(number, 0, row[0])
            sheet.write_number(number, 1, row[1])
            sheet.write_datetime(number, 2, row[2], day)
            sheet.write_datetime(number, 3, row[3], time)
    return content.getvalue()


def test_seventy_thousand_addresses_are_all_there() -> None:
    addresses = [(f"https://example.org/{n}",) for n in range(70_000)]
    (rows,) = read(as_xlsx([Kind.TEXT], addresses)).values()
    assert [tuple(row) for row in rows[1:]] == addresses


def test_more_rows_than_were_announced_are_drawn_so_that_who_counts_them_sees_it() -> None:
    drawn = 0

    def counted() -> Iterator[list[Row]]:
        nonlocal drawn
        for batch in batches([(n,) for n in range(30)], size=10):
            drawn += len(batch)
            yield batch

    options = {"title": "x", "zone": "UTC", "at": AT, "note_cut": lambda _: None}
    list(xlsx_file(columns(Kind.NUMBER), counted(), total=20, **options))
    assert drawn == 30
