"""One moment of the tables, read through a connection of its own, whatever is changed meanwhile."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import psycopg
from django.db import connection

from project.services.exports.columns import Row

BATCH = 250  # rows; more of them leave the processor's cache, and take memory
_OF_DJANGO = {"context", "cursor_factory"}

# A stream is one statement, and takes as long as the upload does. Compiling a query takes longer than it saves.
# Where statistics lag behind (after an import), the planner would take nested loops for cheap and run what is
# gathered once for each issue: minutes for some thousands of them.
_PREPARE = """
SELECT now(), set_config('TimeZone', %(zone)s, true), set_config('jit', 'off', true),
    set_config('enable_nestloop', 'off', true),
    set_config('statement_timeout', %(limit)s, true),
    set_config('idle_in_transaction_session_timeout', %(limit)s, true)
"""


class Snapshot:
    """An open snapshot; `at` is its moment. It holds back VACUUM, so it must not be kept for long."""

    def __init__(self, database: psycopg.Connection[Row], at: datetime) -> None:
        self._database = database
        self.at = at

    def number(self, sql: str, parameters: Mapping[str, Any]) -> int:
        """Return the one number that a query gives."""
        row = self._database.execute(sql, parameters).fetchone()
        return int(row[0]) if row else 0

    def batches(self, sql: str, parameters: Mapping[str, Any]) -> Iterator[list[Row]]:
        """Return the rows of a query as they come, some hundred at a time. Times are in the snapshot's zone.

        One query at a time: until the last batch was taken, the connection serves no other.
        """
        rows = psycopg.Cursor(self._database).stream(sql, parameters, binary=True, size=BATCH)
        while batch := list(islice(rows, BATCH)):
            yield batch

    def cancel(self) -> None:
        """Make a query that runs raise ``QueryCanceled``; to be called from another thread."""
        self._database.cancel_safe(timeout=1)


@contextmanager
def opened(zone: str, limit: timedelta) -> Iterator[Snapshot]:
    """Open a snapshot, and close it at the end.

    Args:
        zone: The zone that times are given in.
        limit: How long one statement may take, or the client between two.

    Raises:
        psycopg.Error: if the database cannot be reached.
    """
    parameters = {
        name: value for name, value in connection.get_connection_params().items() if name not in _OF_DJANGO
    }
    with psycopg.connect(**parameters) as database:
        database.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        database.read_only = True
        milliseconds = str(limit // timedelta(milliseconds=1))
        row = database.execute(_PREPARE, {"zone": zone, "limit": milliseconds}).fetchone()
        assert row  # noqa: S101 (a SELECT without FROM has one row)
        yield Snapshot(database, row[0])
