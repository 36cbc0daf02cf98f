"""The one writer of a status."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)


class HasTransitions(Protocol):
    """A model whose ``NEXT`` says which status may follow which."""

    NEXT: Mapping[Any, frozenset[Any]]


def advance(rows: QuerySet[M], *, to: Any, **stamps: Any) -> int:
    """Move `rows` to status `to`, as one compare-and-set ``UPDATE … WHERE status IN (allowed)``.

    Args:
        rows: the rows meant, with every further condition of the fence (attempt, owner, …).
        to: a member of the model's status choices.
        stamps: further columns written by the same statement.

    Returns:
        How many rows moved. Zero is an ordinary answer: somebody else was first, or the move is not allowed.
    """
    allowed = [status for status, following in rows.model.NEXT.items() if to in following]  # type: ignore[attr-defined]
    return rows.filter(status__in=allowed).update(status=to, **stamps)
