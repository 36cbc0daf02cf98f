"""Makes text of users fit for a header line."""

import unicodedata
from email.charset import SHORTEST, Charset
from email.header import Header

#: Marks, embeddings and isolates that reorder text: a subject could show another text than it holds.
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAKING = frozenset({"Cc", "Zl", "Zp"})
_JOINER = "\u200d"
_LONGEST_CLUSTER = 32  # code points that are held together as one character; longer ones are cut anyway

_UTF8 = Charset("utf-8")
_UTF8.header_encoding = SHORTEST


def well_formed(text: str) -> str:
    """Return text that can be encoded: halves of a surrogate pair are joined, lone ones become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean_header_text(text: str, limit: int = 150) -> str:
    """Return one line of at most `limit` code points.

    Control characters, line separators and bidi controls become spaces, runs of spaces one space. A text that
    is too long is cut between two characters as people see them, and ends with "…".
    """
    spaced = "".join(" " if _breaks(char) else char for char in well_formed(text))
    line = " ".join(spaced.split())
    if len(line) <= limit:
        return line
    return line[: _cut(line, limit - 1)].rstrip() + "…"


def encoded(text: str, *, name: str) -> str:
    """Return the value of header `name` that shows `text`: ASCII, folded with CRLF, encoded where needed."""
    plain = text.isascii() and "=?" not in text  # what looks like an encoded word would be decoded as one
    return Header(text, None if plain else _UTF8, header_name=name).encode(linesep="\r\n")


def _breaks(char: str) -> bool:
    return char in _BIDI or unicodedata.category(char) in _BREAKING


def _cut(line: str, end: int) -> int:
    for cut in range(end, max(end - _LONGEST_CLUSTER, 0), -1):
        if not _belongs_together(line[cut - 1], line[cut]):
            return cut
    return end


def _belongs_together(before: str, after: str) -> bool:
    """Whether no cut may be made between the two: marks, joined emoji, skin tones, halves of a flag."""
    mark = unicodedata.category(after) in {"Mn", "Me", "Mc"}
    skin_tone = "\U0001f3fb" <= after <= "\U0001f3ff"
    flag = all("\U0001f1e6" <= char <= "\U0001f1ff" for char in (before, after))
    return mark or skin_tone or flag or _JOINER in {before, after}
