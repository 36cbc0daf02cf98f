"""Writes JSON (RFC 8259): one array of objects, a line each. Times have their offset, as RFC 3339 has it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import orjson

from project.services.exports.columns import Column, Kind, Row

_LISTS = {
    Kind.NAMES: list,
    Kind.DAYS: list,
    Kind.LINKS: lambda pairs: [{"url": url, "title": title or url} for title, url in pairs],
    Kind.RELATIONS: lambda pairs: [{"type": kind, "issue": issue} for kind, issue in pairs],
    Kind.COMMENTS: lambda notes: [
        {"comment": text, "created_by": who, "created_at": when} for text, who, when in notes
    ],
}


def json_file(columns: Sequence[Column], batches: Iterable[Sequence[Row]]) -> Iterator[bytes]:
    """Write an object for each row; one piece for each batch. What an issue has none of is an empty list."""
    keys = [column.key for column in columns]
    lists = [(place, _LISTS[column.kind]) for place, column in enumerate(columns) if column.kind in _LISTS]
    separator = b"[\n"
    for batch in batches:
        yield separator + b",\n".join(_object(keys, lists, row) for row in batch)
        separator = b",\n"
    yield b"[]\n" if separator == b"[\n" else b"\n]\n"


def _object(keys: Sequence[str], lists: Iterable[tuple[int, Callable[[Any], Any]]], row: Row) -> bytes:
    values = list(row)
    for place, structured in lists:
        values[place] = structured(values[place]) if values[place] else []
    return orjson.dumps(dict(zip(keys, values, strict=True)))
