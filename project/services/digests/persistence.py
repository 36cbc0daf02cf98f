"""Records what is known although the database may be away at that moment."""

import logging
from collections.abc import Callable
from datetime import timedelta
from time import monotonic, sleep
from typing import TypeVar

from django.db import InterfaceError, OperationalError, connection

logger = logging.getLogger(__name__)

T = TypeVar("T")

PAUSE = timedelta(milliseconds=500)  # between two tries


def persistently(record: Callable[[], T], *, patience: timedelta) -> T:
    """Return what `record` returns; while the database is away try it again, each time on a new connection.

    What it writes must be the same if the try before was written and only its answer got lost.

    Raises:
        django.db.OperationalError, django.db.InterfaceError: of the last try, when `patience` is used up.
    """
    deadline = monotonic() + patience.total_seconds()
    while True:
        try:
            return record()
        except (OperationalError, InterfaceError) as error:
            if monotonic() >= deadline:
                raise
            logger.warning("the database is away, the outcome waits to be recorded: %s", error)
            connection.close()
        sleep(PAUSE.total_seconds())
