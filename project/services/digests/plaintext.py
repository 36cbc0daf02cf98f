"""The text form of a comment, from its sanitised HTML: decoded, with its structure and its links."""

import re
from html.parser import HTMLParser

_BLOCKS = {"p", "div", "blockquote", "ul", "ol", "pre", "table"}
_DEEPEST = 5  # levels of lists and quotes that are told apart
_SPACE = re.compile(r"\s+")


def plain_text(html: str) -> str:
    """Write sanitised HTML as text: paragraphs, list signs, quote signs, and behind a link its address.

    Only for what a sanitiser wrote, which closes everything that it opens.
    """
    writer = _Writer()
    writer.feed(html)
    writer.close()
    writer.end_line()
    return "\n".join(writer.lines).strip("\n")


class _Writer(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._line = ""
        self._sign = ""
        self._open: list[str] = []
        self._numbers: list[int] = []
        self._link = self._link_text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self._paragraph()
        elif tag in {"li", "tr"}:
            self.end_line()
        elif tag in {"td", "th"} and self._line:
            self._line += " | "
        elif tag == "br":
            self._line_break()
            return  # it has no end tag
        elif tag == "a":
            self._link, self._link_text = dict(attrs).get("href") or "", ""
        self._open.append(tag)
        self._begin_list(tag)

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()
        if tag in {"ul", "ol"}:
            self._numbers.pop()
        if tag in _BLOCKS:
            self._paragraph()
        elif tag in {"li", "tr"}:
            self.end_line()
        elif tag == "a" and self._link.removeprefix("mailto:") not in self._link_text:
            self._write(f" ({self._link})")

    def handle_data(self, data: str) -> None:
        self._link_text += data
        if "pre" not in self._open:
            self._write(_SPACE.sub(" ", data))
            return
        first, *others = data.split("\n")
        self._write(first, kept=True)
        for other in others:
            self._line_break()
            self._write(other, kept=True)

    def end_line(self) -> None:
        """Finish the line if anything stands in it."""
        if self._line:
            self.lines.append(self._line.rstrip())
            self._line = ""

    def _begin_list(self, tag: str) -> None:
        if tag in {"ul", "ol"}:
            self._numbers.append(0)
        elif tag == "li" and self._numbers:
            self._numbers[-1] += 1
            self._sign = "- " if self._open[-2] == "ul" else f"{self._numbers[-1]}. "

    def _line_break(self) -> None:
        if self._line:
            self.end_line()
        else:
            self.lines.append("")

    def _paragraph(self) -> None:
        self.end_line()
        if self.lines and self.lines[-1] and not self._numbers:
            self.lines.append("")

    def _write(self, text: str, *, kept: bool = False) -> None:
        if not self._line:
            text = text if kept else text.lstrip()
            if not text:
                return
            quotes, depth = self._open.count("blockquote"), len(self._numbers)
            indent = "  " * min(depth - 1, _DEEPEST) + (self._sign or "  ") if depth else ""
            self._line = "> " * min(quotes, _DEEPEST) + indent
            self._sign = ""
        self._line += text
