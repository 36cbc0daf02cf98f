"""Long lists, page by page."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet
from rest_framework.exceptions import NotFound

LAST = 1000  # number of the last page that can be asked for


class Part(NamedTuple):
    """A page of a list: its rows, its number from 1, and the numbers of its neighbours, 0 if there is none."""

    rows: Sequence[Any]
    number: int
    newer: int
    older: int


def part_of(rows: QuerySet[Any], page: str, size: int) -> Part:
    """Return the page whose number `page` is, in one query.

    Raises:
        NotFound: if that is no number of a page.
    """
    number = _number(page)
    # One more than is shown tells whether there is a next page, without counting them all.
    found = list(rows[size * (number - 1) : size * number + 1])
    return Part(found[:size], number, number - 1, number + 1 if len(found) > size else 0)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= LAST):
        raise NotFound("There is no such page.")
    return int(text)
