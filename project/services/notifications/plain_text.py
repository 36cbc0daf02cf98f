"""The text of a piece of HTML, for the columns that keep it without markup."""

import re
from html import unescape

# Neither pattern can cross a "<", so both are linear in a text of any length.
_LINE_END = re.compile(r"<(?:br|hr|/(?:p|div|li|tr|pre|blockquote|h[1-6]))\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z!][^<>]*>", re.IGNORECASE)


def plain_text(html: str) -> str:
    """Return the text without tags: a line for each block, no empty lines, entities resolved.

    It is text, to be escaped like any other wherever it is shown.
    """
    text = unescape(_TAG.sub("", _LINE_END.sub("\n", html)))
    lines = (" ".join(line.split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
