import json
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project.services.exports.columns import Kind
from tests.services.exports.tables import as_json


def strict(content: bytes) -> list[dict[str, object]]:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return list(json.loads(content, parse_constant=refuse))


@pytest.mark.parametrize("count", [0, 1, 2, 999, 1000, 1001, 2000])
def test_it_is_one_array_whatever_the_batches(count: int) -> None:
    read = strict(as_json([Kind.NUMBER], [(n,) for n in range(count)]))
    assert read == [{"column_1": n} for n in range(count)]


def test_another_reader_agrees(tmp_path: Path) -> None:
    texts = ['say "hi"', "a\\b", "</script>", "\x7f", "日本語 😊", "a\u2028b", "line\nbreak", "\x01"]
    file = tmp_path / "texts.json"
    file.write_bytes(as_json([Kind.TEXT, Kind.NUMBER], [(text, n) for n, text in enumerate(texts)]))
    read = duckdb.sql(
        f"SELECT column_1 FROM read_json('{file}', format = 'array') ORDER BY column_2"
    ).fetchall()
    assert [text for (text,) in read] == texts


def test_one_row_a_line_for_those_who_compare_files() -> None:
    assert len(as_json([Kind.NUMBER], [(n,) for n in range(7)]).splitlines()) == 9


@settings(deadline=None)
@given(st.lists(st.none() | st.text(alphabet=st.characters(exclude_categories=["Cs"]))))
def test_any_text_reads_back(texts: list[str | None]) -> None:
    read = strict(as_json([Kind.TEXT], [(text,) for text in texts]))
    assert [row["column_1"] for row in read] == texts


def test_days_are_not_shifted_and_times_have_their_offset() -> None:
    time = datetime(2024, 3, 30, 23, 30, tzinfo=UTC)
    row = (date(2024, 3, 31), time, time.astimezone(ZoneInfo("Europe/Berlin")))
    (read,) = strict(as_json([Kind.DATE, Kind.TIME, Kind.TIME], [row]))
    assert list(read.values()) == ["2024-03-31", "2024-03-30T23:30:00+00:00", "2024-03-31T00:30:00+01:00"]


def test_no_value_is_not_an_empty_text() -> None:
    assert strict(as_json([Kind.TEXT, Kind.TEXT], [(None, "")])) == [{"column_1": None, "column_2": ""}]


def test_lists_are_lists_and_none_is_an_empty_one() -> None:
    kinds = [Kind.NAMES, Kind.DAYS, Kind.LINKS, Kind.RELATIONS, Kind.COMMENTS]
    row = (["a, b"], ["2026-01-01", None], [["", "u"]], [["blocking", "A-1"]], [["Hi", None, "2026"]])
    full, empty = strict(as_json(kinds, [row, (None,) * 5]))
    assert list(full.values()) == [
        ["a, b"],
        ["2026-01-01", None],
        [{"url": "u", "title": "u"}],
        [{"type": "blocking", "issue": "A-1"}],
        [{"comment": "Hi", "created_by": None, "created_at": "2026"}],
    ]
    assert list(empty.values()) == [[]] * 5
