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
    names = {"table": Identifier(model._meta.db_table), "key": Identifier(str(model._meta.pk.column))}
    sent: list[Any] = [now, [wake.row_id for wake in wakes], [wake.dispatch for wake in wakes]]
    with connection.cursor() as cursor:
        cursor.execute(_MARK.format(**names), sent)
