from datetime import UTC, datetime
from pathlib import PureWindowsPath
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project.services.exports.names import Key, archive_name, file_name, sheet_titles, unique

NASTY = ["..", ".", "", " ", "a/b", "a\\b", "C:\\x", "CON", "con.txt", "COM1", "x. ", "x\x00y", "a" * 300]


@pytest.mark.parametrize("text", NASTY)
def test_any_name_becomes_one_that_every_system_takes(text: str) -> None:
    name = file_name(text)
    assert name
    assert len(name) <= 101
    assert not set(name) & set('<>:"/\\|?*\x00')
    assert not name.endswith((".", " "))
    assert name == PureWindowsPath(name).name
    assert name.upper().partition(".")[0] not in {"CON", "COM1"}


def test_ordinary_names_stay() -> None:
    assert file_name("ACME-Übersicht Q1") == "ACME-Übersicht Q1"


def test_names_that_some_system_takes_for_the_same_are_numbered() -> None:
    assert unique(["Über", "ü", "UEBER", "über", "Über"]) == ["Über", "ü", "UEBER", "über (2)", "Über (3)"]
    assert file_name("U\u0308ber") == "Über"


@pytest.mark.parametrize(
    ("title", "sheet"),
    [
        ("A/B:[x]?*", "A_B__x___"),
        ("History", "History_"),
        ("history", "history_"),
        ("", "Issues"),
        ("'q'", "q"),
        ("x" * 40, "x" * 31),
        ("😀" * 20, "😀" * 15),
        ("a\x01b", "a_b"),
    ],
)
def test_sheets_are_named_as_excel_allows(title: str, sheet: str) -> None:
    assert sheet_titles(title, 1) == [sheet]


def test_further_sheets_are_numbered_within_the_same_limit() -> None:
    assert sheet_titles("x" * 40, 3) == ["x" * 31, "x" * 27 + " (2)", "x" * 27 + " (3)"]


@settings(deadline=None)
@given(st.text())
def test_any_title_makes_a_legal_sheet(title: str) -> None:
    (sheet,) = sheet_titles(title, 1)
    assert 0 < len(sheet.encode("utf-16-le", "surrogatepass")) // 2 <= 31
    assert not set(sheet) & set("[]:*?/\\")
    assert sheet.strip("'") == sheet
    assert sheet.casefold() != "history"


def test_a_key_is_of_a_safe_alphabet_and_reads_back() -> None:
    key = Key(uuid4(), uuid4(), 12)
    assert str(key) == f"exports/{key.workspace_id}/{key.export_id}/12.zip"
    assert Key.parse(str(key)) == key
    assert str(key).startswith(key.folder)


@pytest.mark.parametrize(
    "text", ["", "exports/", "exports/x/y/1.zip", f"exports/{UUID(int=1)}/{'-' * 36}/1.zip", "uploads/a.png"]
)
def test_what_is_not_ours_is_not_read_as_a_key(text: str) -> None:
    assert Key.parse(text) is None


def test_the_archive_tells_whose_it_is_and_of_when() -> None:
    assert archive_name("acme", datetime(2026, 3, 4, 5, 6, tzinfo=UTC)) == "acme-issues-2026-03-04-0506.zip"
