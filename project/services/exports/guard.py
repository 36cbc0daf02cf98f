"""Keeps a spreadsheet from calculating what somebody wrote into a text.

Programs that open a CSV file take a cell for a formula by its first characters (OWASP, "CSV Injection"). A
leading apostrophe makes it a text. It is put there only where it is needed: a number stays a number.
"""

import re

# What a program may skip before it looks: white space, marks without width, quotes. Then what begins a
# formula, also in the wide forms that East Asian systems narrow again.
_RISKY = re.compile(r"[\s\"'\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠]|[\t\r\n]")
_NUMBER = re.compile(r"[+-](?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


def guarded(text: str) -> str:
    """Return `text`, with an apostrophe before it if a spreadsheet might calculate it."""
    if text[:1].isalnum():  # most do, and nothing that begins so can be risky
        return text
    return f"'{text}" if _RISKY.match(text) and not is_number(text) else text


def is_number(text: str) -> bool:
    """Whether it is a signed number in digits, such as -5, +3, -1,234.56 or -1e-7, and nothing else."""
    return text[1:2].isdigit() and _NUMBER.fullmatch(text) is not None
