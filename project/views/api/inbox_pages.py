"""Pages of an inbox in Plane's envelope, with Plane's cursors: size, number from 0, and whether it goes back."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError

from project.models import Notification

DEFAULT_SIZE, MAX_SIZE = 50, 300
_CURSOR = re.compile(r"([0-9]{1,3}):([0-9]{1,6}):[01]")
_SIZE = re.compile(r"[0-9]{1,3}")


class Page(NamedTuple):
    """Which part of a list is asked for."""

    size: int
    number: int

    def envelope(
        self, rows: QuerySet[Notification], shown: Callable[[Sequence[Notification]], Sequence[Any]]
    ) -> dict[str, Any]:
        """Return the part, as `shown`, with what a client needs for the next; two queries."""
        start = self.size * self.number
        total, part = rows.count(), rows[start : start + self.size]
        results = shown(list(part))
        return {
            "grouped_by": None,
            "sub_grouped_by": None,
            "total_count": total,
            "next_cursor": f"{self.size}:{self.number + 1}:0",
            "prev_cursor": f"{self.size}:{self.number - 1}:1",
            "next_page_results": start + self.size < total,
            "prev_page_results": self.number > 0,
            "count": len(results),
            "total_pages": -(-total // self.size),
            "total_results": total,
            "extra_stats": None,
            "results": results,
        }


def page_of(given: Mapping[str, str]) -> Page:
    """Return the page that is asked for: by its cursor, or the first one of `per_page` rows.

    Raises:
        ValidationError: naming what is wrong.
    """
    per_page, cursor = given.get("per_page", str(DEFAULT_SIZE)), given.get("cursor")
    if not _SIZE.fullmatch(per_page) or not 1 <= int(per_page) <= MAX_SIZE:
        raise ValidationError({"per_page": [f"Must be a number from 1 to {MAX_SIZE}."]})
    if cursor is None:
        return Page(int(per_page), 0)
    match = _CURSOR.fullmatch(cursor)
    if not match or not 1 <= int(match[1]) <= MAX_SIZE:
        raise ValidationError({"cursor": ["Must be the next_cursor or prev_cursor of a page."]})
    return Page(int(match[1]), int(match[2]))
