"""Deletes rows for good: in batches, each a transaction of its own that PostgreSQL ends if it takes too long.

A batch that cannot be deleted is reported, and costs itself. If a foreign key is in its way, it is halved until
only the rows that it stands in the way of are left.
"""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import Model, QuerySet
from psycopg.sql import SQL, Identifier

from project.limits import Limits
from project.logs import without_values
from project.services.maintenance.archive import Archive
from project.services.maintenance.references import Role, references

logger = logging.getLogger(__name__)

Keys = list[Any]
#: Keys by table, in the order in which they are to be deleted.
Doomed = Sequence[tuple[type[Model], Keys]]

_DELETE = SQL("DELETE FROM {table} WHERE {key} = ANY(%s)")


class Purge:
    """One run of a clean-up.

    Args:
        limits: how large a batch is, and how long a statement and the whole run may take.
        clock: gives the present time.
        archive: where rows are kept before they are deleted; None if they are not.

    Attributes:
        now: when it began.
        deleted, held: how many rows of each table went, and how many have to stay for now.
        failed: the keys of those that could not be deleted.
        cut_short: whether it took long enough before it came to its end.
    """

    def __init__(
        self, *, limits: Limits, clock: Callable[[], datetime], archive: Archive | None = None
    ) -> None:
        self.now = clock()
        self.limits = limits
        self.deleted, self.held = Counter[str](), Counter[str]()
        self.failed: defaultdict[str, set[Any]] = defaultdict(set)
        self.cut_short = False
        self._clock, self._archive = clock, archive
        connection.ensure_connection()
        self._session = connection.connection

    def __str__(self) -> str:
        """What it came to, in words."""
        failed = Counter({table: len(keys) for table, keys in self.failed.items()})
        counts = {"deleted": +self.deleted, "held": +self.held, "failed": failed}
        told = [f"{word} {_in_words(rows)}" for word, rows in counts.items() if rows]
        return "; ".join(told + ["the rest next time"] * self.cut_short) or "nothing to delete"

    def clear(self, rows: QuerySet[Any]) -> None:
        """Delete rows that nothing hangs on."""
        for keys in self.batches(rows):
            self.remove(rows, keys)

    def batches(self, rows: QuerySet[Any]) -> Iterator[Keys]:
        """Return the keys of rows, batch by batch, until all are read or the run has taken long enough.

        A table that cannot be read is reported, and costs itself.
        """
        size = self.limits.purge_batch
        found = rows.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=size)
        try:
            while batch := list(islice(found, size)):
                if self._clock() >= self.now + self.limits.purge_time:
                    self.cut_short = True
                    return
                yield batch
        except DatabaseError as error:
            self._report(rows.model, [], error)

    def remove(self, rows: QuerySet[Any], keys: Keys, along: Callable[[Keys], Doomed] = lambda _: ()) -> int:
        """Archive and delete those of `keys` that are still among `rows`, after what goes `along` with them.

        Rows that somebody has locked are left for the next time.

        Returns:
            How many of them are gone.

        Raises:
            Exception: whatever kept the archive from being written; then nothing was deleted.
        """

        def doomed(gone: Keys) -> Doomed:
            return [*along(gone), (rows.model, gone)]

        if not keys:
            return 0
        if self._archive:
            for model, gone in doomed(keys):
                self._archive.keep(model, gone, self.now.date())
        try:
            return self._delete(rows, keys, doomed)
        except IntegrityError as error:
            if len(keys) == 1:
                return self._report(rows.model, keys, error)
        except DatabaseError as error:
            return self._report(rows.model, keys, error)
        half = len(keys) // 2
        return self.remove(rows, keys[:half], along) + self.remove(rows, keys[half:], along)

    def _delete(self, rows: QuerySet[Any], keys: Keys, doomed: Callable[[Keys], Doomed]) -> int:
        with transaction.atomic(durable=True):
            self._bound_statements()
            still = rows.filter(pk__in=keys).select_for_update(skip_locked=True, of=("self",))
            gone = doomed(list(still.values_list("pk", flat=True)))
            for model, doomed_keys in gone:
                _erase(model, doomed_keys)
        self.deleted.update({model._meta.db_table: len(doomed_keys) for model, doomed_keys in gone})
        return len(gone[-1][1])

    def _bound_statements(self) -> None:
        with connection.cursor() as cursor:
            milliseconds = round(self.limits.purge_timeout.total_seconds() * 1000)
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(milliseconds)])

    def _report(self, model: type[Model], keys: Keys, error: DatabaseError) -> int:
        """Count what could not be deleted.

        A lost connection is no matter of these rows, and ends the run: with it went the lock that keeps others
        from running the same tick. Django may have opened another one already.
        """
        if connection.connection is not self._session or not connection.is_usable():
            raise error
        table = model._meta.db_table
        which = f"{keys[0]} to {keys[-1]}" if keys else "none could be read"
        told = without_values(str(error))
        logger.error("%d rows of %s not deleted (%s): %s", len(keys), table, which, told)
        self.failed[table].update(keys or {None})
        return 0


def _erase(model: type[Model], keys: Keys) -> None:
    for reference in references(model, Role.LOOSE):
        reference.rows(keys).update(**{reference.field.name: None})
    names = {"table": Identifier(model._meta.db_table), "key": Identifier(model._meta.pk.attname)}
    with connection.cursor() as cursor:
        cursor.execute(_DELETE.format(**names), [keys])


def _in_words(rows: Counter[str]) -> str:
    return ", ".join(f"{table} {count}" for table, count in sorted(rows.items()))
