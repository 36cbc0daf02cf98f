"""Values that are lists, as the text of one cell."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from project.services.exports.columns import Kind

Words = Callable[[Any], str]


def one_line_ends(text: str) -> str:
    """Return `text` with ``\\n`` for each line end: two kinds of them in one cell confuse spreadsheets."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def names(values: Iterable[str]) -> str:
    """Join with "; ". A name that holds a semicolon or a quote is quoted, so that they can be told apart."""
    return "; ".join(map(in_list, values))


def in_list(name: str) -> str:
    """Return a name as it stands in a list: quoted if it holds a semicolon or a quote."""
    return '"' + name.replace('"', '""') + '"' if ";" in name or '"' in name else name


def days(values: Sequence[str | None]) -> str:
    """Join with "; " in the order of the names they belong to; a dash stands for one that is missing."""
    return "; ".join(value or "–" for value in values) if any(values) else ""


def links(pairs: Iterable[Sequence[str]]) -> str:
    """One line a link: its title and its address."""
    return "\n".join(f"{title}: {url}" if title else url for title, url in pairs)


def relations(pairs: Iterable[Sequence[str]]) -> str:
    """One line a relation, such as "blocked by ACME-7"."""
    return "\n".join(f"{kind.replace('_', ' ')} {issue}" for kind, issue in pairs)


def comments(notes: Iterable[Sequence[str | None]]) -> str:
    """One paragraph a comment: when, who, what."""
    return "\n\n".join(f"{when} {who or ''}: {text}" for text, who, when in notes)


#: How values of each kind that is not plain are written into one cell.
WORDS: dict[Kind, Words] = {
    Kind.NAMES: names,
    Kind.DAYS: days,
    Kind.LINKS: links,
    Kind.RELATIONS: relations,
    Kind.COMMENTS: comments,
}
