import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project.services.exports.guard import guarded

DANGEROUS = [
    *(
        "=1+1",
        "+1+1",
        "-1+cmd",
        "@SUM(A1)",
        "=cmd|' /C calc'!A0",
        "+49 30 1234",
        "-foo",
        "@mention",
        "-- note",
    ),
    *("-2+3+cmd", "-", "=", "+", "-1,23,4", "-1e", "-.5x", "+1;=2", "-5\n=1"),
    *("\t=1", "\n=1", "\tx", "\nx", "\rx"),
    *(" =1+1", "\t@SUM(A1)", "\u00a0=1", "\u200b=1", "\ufeff=1", '"=1', "'=1", " \"'\u2060=1"),
    *("＝1+1", "＋1", "－1", "＠x"),
]
HARMLESS = [
    *("", "Fix the door", "a=1", "1+1", "5", "0", "x - y", "'quoted'", " indented", "a@b.example", "…"),
    *("-5", "-5.00", "+3", "-0.02", "-1e-7", "-1,234.56", "+1,234,567", "-12E+3"),
]


@pytest.mark.parametrize("text", DANGEROUS)
def test_what_a_spreadsheet_might_calculate_gets_an_apostrophe(text: str) -> None:
    assert guarded(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_what_it_would_not_stays_as_it_is(text: str) -> None:
    assert guarded(text) == text


@settings(deadline=None)
@given(st.text(alphabet="=+-@＝ \t\n\"'\u200bab1.,", max_size=12))
def test_nothing_but_a_number_begins_like_a_formula(text: str) -> None:
    result = guarded(text)
    assert result in {text, f"'{text}"}
    bare = result.lstrip(" \t\n\"'\u200b")
    if not result.startswith("'") and bare[:1] in tuple("=+-@＝"):
        float(result.replace(",", ""))


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers())
def test_numbers_are_never_changed(number: float) -> None:
    assert guarded(str(number)) == str(number)
