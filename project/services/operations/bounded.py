"""Figures must not cost the database what the work needs."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from project.limits import Limits


@contextmanager
def bounded(limits: Limits) -> Iterator[None]:
    """Read figures within `limits.figure_time` a statement, whatever the tables have grown to.

    Raises:
        django.db.OperationalError: out of a statement that would take longer.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            milliseconds = int(limits.figure_time.total_seconds() * 1000)
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(milliseconds)])
        yield
