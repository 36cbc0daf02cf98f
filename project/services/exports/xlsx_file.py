"""Writes an Excel workbook as a stream; further sheets follow when one is full."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, islice

from project.services.exports.columns import Column, Row
from project.services.exports.names import sheet_titles
from project.services.exports.xlsx_cells import Cells
from project.services.exports.xlsx_frame import frame
from project.services.exports.zip_stream import Member, zip_stream

SHEET_ROWS = 1_048_575  # Excel's limit without the head
_PIECE = 100  # rows


def xlsx_file(
    columns: Sequence[Column],
    batches: Iterable[Sequence[Row]],
    *,
    total: int,
    title: str,
    zone: str,
    at: datetime,
    note_cut: Callable[[int], None],
    sheet_rows: int = SHEET_ROWS,
) -> Iterator[bytes]:
    """Write a workbook of `total` rows.

    Args:
        columns: what the rows hold.
        batches: the rows.
        total: how many they are.
        title: what the sheets are named after; it is made to fit Excel's rules.
        zone: the zone that times are in, for the heads.
        at: the time that the parts of the workbook get.
        note_cut: is told at the end how many texts were too long for a cell and were cut.
        sheet_rows: how many rows a sheet can take.
    """
    counts = [min(sheet_rows, total - start) for start in range(0, max(total, 1), sheet_rows)]
    parts, sheets, *styles = frame(columns, sheet_titles(title, len(counts)), counts, zone=zone)
    cells = Cells(columns, *styles)
    rows = chain.from_iterable(batches)
    members = [
        *(Member(name, [content]) for name, content in parts.items()),
        *(
            Member(sheet.name, chain([sheet.before], _pieces(cells, islice(rows, count)), [sheet.after]))
            for sheet, count in zip(sheets, counts, strict=True)
        ),
    ]
    yield from zip_stream(members, at=at)
    next(rows, None)  # for who counts them: had there been more than `total`, it would show
    note_cut(cells.cut)


def _pieces(cells: Cells, rows: Iterator[Row]) -> Iterator[bytes]:
    numbered = enumerate(rows, start=2)
    while piece := [cells.row(number, row).encode() for number, row in islice(numbered, _PIECE)]:
        yield b"".join(piece)
