"""Text of users on one header line."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.services.digests.header_text import clean_header_text

FAMILY = "👩‍👩‍👧"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain", "plain"),
        ("  two \t\n lines ", "two lines"),
        ("a\x00b\x0bc\x1cd\x85e\u2028f\u2029g", "a b c d e f g"),
        ("evil\u202egnp.exe", "evil gnp.exe"),
        ("\u2066isolated\u2069", "isolated"),
        ("half \ud83d of a pair", "half \ufffd of a pair"),
        ("both \ud83d\ude00 halves", "both 😀 halves"),
        (f"kept {FAMILY} ❤️", f"kept {FAMILY} ❤️"),
        ("", ""),
    ],
)
def test_cleaning(text: str, clean: str) -> None:
    assert clean_header_text(text) == clean


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("abcd efg", 6, "abcd…"),
        ("abcde\u0301fg", 6, "abcd…"),
        (f"a{FAMILY}bc", 4, "a…"),
        ("ab👍🏽cd", 4, "ab…"),
        ("a🇩🇪🇫🇷b", 4, "a…"),
        ("a" + "\u0301" * 200, 50, "a" + "\u0301" * 48 + "…"),
    ],
)
def test_cutting_keeps_characters_whole(text: str, limit: int, cut: str) -> None:
    assert clean_header_text(text, limit) == cut


@given(st.text(st.characters(codec=None), max_size=400), st.integers(1, 200))
def test_the_result_is_one_clean_line_within_the_limit(text: str, limit: int) -> None:
    clean = clean_header_text(text, limit)

    assert len(clean) <= limit
    assert clean == " ".join(clean.split())
    assert not {unicodedata.category(char) for char in clean} & {"Cc", "Cs", "Zl", "Zp"}
    assert clean_header_text(clean, limit) == clean
