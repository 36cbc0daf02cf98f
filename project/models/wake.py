"""What a service returns when something should be sent next."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection, models
from psycopg.sql import SQL, Identifier

_MARK = SQL("""
UPDATE {table} SET enqueued_at = %s
FROM unnest(%s::uuid[], %s::int[]) AS sent(id, dispatch)
WHERE {table}.{key} = sent.id AND {table}.dispatch = sent.dispatch
""")

_RENAME = SQL("""
UPDATE {table} SET dispatch = {table}.dispatch + 1
FROM unnest(%s::uuid[], %s::int[]) AS done(id, dispatch)
WHERE {table}.{key} = done.id AND {table}.dispatch = done.dispatch
RETURNING {table}.{key}, {table}.dispatch
""")


class Wake(NamedTuple):
    """A wake-up for one row: the row is the truth, the message only says "look at it".

    The message's id is made from these two, so sending the same wake-up twice sends one message.
    """

    row_id: UUID
    dispatch: int


def mark_sent(model: type[models.Model], wakes: Sequence[Wake], *, now: datetime) -> None:
    """Write into `enqueued_at` that these wake-ups of `model` were sent.

    Call it after the sending: who dies between the two leaves a row that is found and sent again, and dedup
    knows the name. A row that moved on to another dispatch meanwhile is left alone.
    """
    with connection.cursor() as cursor:
        cursor.execute(_MARK.format(**_names(model)), [now, *_columns(wakes)])


def rename(model: type[models.Model], wakes: Sequence[Wake]) -> list[Wake]:
    """Give these rows their next dispatch, because no message of the present one would run.

    Returns:
        The new wake-ups, without those of rows that moved on meanwhile.
    """
    with connection.cursor() as cursor:
        cursor.execute(_RENAME.format(**_names(model)), _columns(wakes))
        return [Wake(*row) for row in cursor.fetchall()]


def _names(model: type[models.Model]) -> dict[str, Identifier]:
    return {"table": Identifier(model._meta.db_table), "key": Identifier(str(model._meta.pk.column))}


def _columns(wakes: Sequence[Wake]) -> list[Any]:
    return [[wake.row_id for wake in wakes], [wake.dispatch for wake in wakes]]
