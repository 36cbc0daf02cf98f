from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project.services.exports.columns import Kind
from project.services.exports.guard import guarded
from tests.services.exports.tables import as_csv, csv_cells, csv_records

TEXTS = [
    *('say "hi"', "a,b;c", " leading", "trailing ", "a\nb", "\\.", "a\n\\.\nb", "'", '"', "00123", "1E5"),
    *(
        "日本語",
        "Yaël ☺",
        "😊",
        "Ünïcödé",
        "e\u0301",
        "שלום",
        "a\u2028b",
        "a\u00a0b",
        "line\x0bbreak",
        "\x7f",
    ),
]


def test_texts_read_back_as_they_were() -> None:
    assert csv_cells(*TEXTS) == TEXTS


def test_another_reader_agrees(tmp_path: Path) -> None:
    file = tmp_path / "texts.csv"
    file.write_bytes(as_csv([Kind.TEXT, Kind.NUMBER], [(text, n) for n, text in enumerate(TEXTS)]))
    columns = "{'text': 'VARCHAR', 'number': 'INTEGER'}"
    read = duckdb.sql(
        f"SELECT text FROM read_csv('{file}', header = true, delim = ',', quote = '\"', columns = {columns})"
        " ORDER BY number"
    ).fetchall()
    assert [text for (text,) in read] == TEXTS


def test_a_reader_that_guesses_finds_columns_numbers_and_times(tmp_path: Path) -> None:
    file = tmp_path / "guessed.csv"
    times = [datetime(2026, 1, day, 23, 30, tzinfo=UTC) for day in (1, 2)]
    rows = [(n, f"text, {n}", times[n].date(), times[n], True) for n in (0, 1)]
    file.write_bytes(as_csv([Kind.NUMBER, Kind.TEXT, Kind.DATE, Kind.TIME, Kind.FLAG], rows))
    table = duckdb.sql(f"SELECT * FROM read_csv('{file}')")
    types = ["BIGINT", "VARCHAR", "DATE", "TIMESTAMP WITH TIME ZONE", "BOOLEAN"]
    assert [str(kind) for kind in table.types] == types
    epochs = duckdb.sql(f"SELECT epoch(\"Column 4\")::bigint FROM read_csv('{file}')").fetchall()
    assert [second for (second,) in epochs] == [int(time.timestamp()) for time in times]


@settings(deadline=None)
@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))))
def test_any_text_reads_back_but_for_the_guard_and_line_ends(texts: list[str]) -> None:
    wanted = [guarded(text.replace("\r\n", "\n").replace("\r", "\n")) for text in texts]
    assert csv_cells(*texts) == wanted


def test_one_record_a_row_whatever_is_in_it() -> None:
    assert csv_cells('a"b,c\r\nd', "value1\r", "a\r\nb", "\r\r\n\n") == [
        'a"b,c\nd',
        "value1\n",
        "a\nb",
        "'\n\n\n",
    ]


def test_the_mark_comes_once_and_readers_that_know_it_see_the_first_title() -> None:
    content = as_csv([Kind.TEXT], [(str(n),) for n in range(2500)])
    assert content.startswith(b"\xef\xbb\xbf")
    assert content.count(b"\xef\xbb\xbf") == 1
    assert content.decode("utf-8-sig").splitlines()[0] == '"Column 1"'


def test_no_rows_are_a_head_alone() -> None:
    assert as_csv([Kind.TEXT, Kind.NUMBER], []) == b'\xef\xbb\xbf"Column 1","Column 2"\r\n'


@pytest.mark.parametrize("count", [999, 1000, 1001, 2000])
def test_batches_leave_no_trace(count: int) -> None:
    records = csv_records(as_csv([Kind.NUMBER], [(n,) for n in range(count)]))
    assert records == [[str(n)] for n in range(count)]


def test_numbers_are_never_guarded_and_never_quoted() -> None:
    assert as_csv([Kind.NUMBER], [(-3,), (3,)]).splitlines()[1:] == [b"-3", b"3"]


def test_no_value_and_an_empty_text_are_both_empty() -> None:
    assert csv_records(as_csv([Kind.TEXT, Kind.DATE, Kind.NUMBER], [(None, None, None), ("", None, 0)])) == [
        ["", "", ""],
        ["", "", "0"],
    ]


def test_days_are_not_shifted_and_times_have_their_offset() -> None:
    time = datetime(2026, 1, 15, 23, 30, tzinfo=UTC).astimezone(ZoneInfo("Asia/Shanghai"))
    (record,) = csv_records(as_csv([Kind.DATE, Kind.TIME], [(date(2024, 3, 12), time)]))
    assert record == ["2024-03-12", "2026-01-16T07:30:00+08:00"]


def test_the_hour_that_a_clock_shows_twice_has_two_offsets() -> None:
    """Python takes the two moments for the same."""
    hours = [
        datetime(2024, 10, 27, hour, 30, tzinfo=UTC).astimezone(ZoneInfo("Europe/Berlin")) for hour in (0, 1)
    ]
    assert hours[0] == hours[1]
    records = csv_records(as_csv([Kind.TIME], [(hour,) for hour in hours]))
    assert records == [["2024-10-27T02:30:00+02:00"], ["2024-10-27T02:30:00+01:00"]]


def test_a_column_that_is_the_same_in_all_rows_is_in_all_records() -> None:
    kinds = [Kind.TEXT, Kind.NAMES, Kind.DATE, Kind.FLAG, Kind.TEXT]
    row = ("=1", ["a", "b"], date(2024, 3, 12), True, None)
    assert csv_records(as_csv(kinds, [row] * 3)) == [["'=1", "a; b", "2024-03-12", "true", ""]] * 3


def test_names_can_be_told_apart_and_each_is_guarded() -> None:
    names = [["a, b", "c"], ["a; b", 'c "d"'], ["=cmd|' /C calc'!A0", "x"], ["x", "@y"], []]
    rows = [(some, 1) for some in names]
    assert [cell for cell, _ in csv_records(as_csv([Kind.NAMES, Kind.NUMBER], rows))] == [
        "a, b; c",
        '"a; b"; "c ""d"""',
        "'=cmd|' /C calc'!A0; x",
        "x; '@y",
        "",
    ]


def test_lists_of_more_than_names() -> None:
    kinds = [Kind.DAYS, Kind.LINKS, Kind.RELATIONS, Kind.COMMENTS]
    row = (
        ["2026-01-01", None],
        [["Docs", "https://d.example"], ["", "https://e.example"]],
        [["blocked_by", "ACME-7"], ["relates_to", "ACME-9"]],
        [["Hello\nyou", "Ann Lee", "2026-01-01T10:00:00+00:00"], ["Bye", None, "2026-01-02T10:00:00+00:00"]],
    )
    assert csv_records(as_csv(kinds, [row])) == [
        [
            "2026-01-01; –",
            "Docs: https://d.example\nhttps://e.example",
            "blocked by ACME-7\nrelates to ACME-9",
            "2026-01-01T10:00:00+00:00 Ann Lee: Hello\nyou\n\n2026-01-02T10:00:00+00:00 : Bye",
        ]
    ]


def test_a_megabyte_in_two_thousand_lines_stays_whole() -> None:
    text = "\n".join("x" * 500 for _ in range(2000))
    assert csv_cells(text) == [text]
