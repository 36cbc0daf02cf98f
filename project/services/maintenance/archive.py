"""Keeps rows that are about to be deleted, as lines of JSON, outside of the database."""

import gzip
import hashlib
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Model
from psycopg.sql import SQL, Identifier

_AS_JSON = SQL("SELECT row_to_json(kept)::text FROM {table} AS kept WHERE {key} = ANY(%s) ORDER BY {key}")


class Archive(NamedTuple):
    """A folder of a store.

    Attributes:
        prefix: What all its names begin with, such as ``deleted/``.
        put: Writes a file, over one that is there by that name, and returns when the store is known to have it.
    """

    prefix: str
    put: Callable[[str, bytes], None]

    def keep(self, model: type[Model], keys: Sequence[Any], day: date) -> None:
        """Write the rows to one file, which is named after table, day, first and last key, and its content.

        So whoever has to do it again, because it got no further, writes the same file again; and who comes for
        what is left of the rows writes over none of those that are gone.

        Raises:
            Exception: whatever `put` raises.
        """
        if keys:
            table = model._meta.db_table
            lines = "".join(_lines(model, list(keys))).encode()
            name = f"{min(keys)}_{max(keys)}_{hashlib.sha256(lines).hexdigest()[:16]}.jsonl.gz"
            self.put(f"{self.prefix}{table}/{day}/{name}", gzip.compress(lines, mtime=0))


def _lines(model: type[Model], keys: list[Any]) -> list[str]:
    names = {"table": Identifier(model._meta.db_table), "key": Identifier(model._meta.pk.attname)}
    with connection.cursor() as cursor:
        cursor.execute(_AS_JSON.format(**names), [keys])
        return [f"{line}\n" for (line,) in cursor]
