"""Calls that meet at the same rows at the same moment."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import QuerySet

T = TypeVar("T")


def at_once(rows: QuerySet[Any], *calls: Callable[[], T]) -> list[T]:
    """Run the calls in threads of their own, all of which come to `rows` while these are locked.

    So none of them sees what another one does before it has begun itself.
    """

    def run(call: Callable[[], T]) -> T:
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        with transaction.atomic():
            list(rows.select_for_update())
            running = [pool.submit(run, call) for call in calls]
            until_waiting(len(calls))
        return [call.result(30) for call in running]


def until_waiting(number: int) -> None:
    """Return when so many connections wait for a lock.

    Raises:
        AssertionError: if they do not within 20 seconds.
    """
    deadline = time.monotonic() + 20
    with connection.cursor() as cursor:
        while time.monotonic() < deadline:
            cursor.execute("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone() == (number,):
                return
            time.sleep(0.01)
    raise AssertionError(f"{number} calls did not come to the rows within 20 s")
