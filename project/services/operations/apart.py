"""Figures must not wait for a database that is gone."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, connections

_PATIENCE = 2  # seconds, the least that libpq takes seriously


@contextmanager
def apart() -> Iterator[None]:
    """Let this thread ask the database on a new connection that gives up in time: the one that it has may be to a
    server that is gone or frozen, and wait for it without end.

    Raises:
        django.db.OperationalError: if there is no connection within two seconds.
    """
    usual = connections[DEFAULT_DB_ALIAS]
    own = usual.copy()
    own.settings_dict["OPTIONS"] |= {
        "connect_timeout": _PATIENCE,
        "tcp_user_timeout": _PATIENCE * 1000,
        "keepalives_idle": 1,
        "keepalives_interval": 1,
        "keepalives_count": _PATIENCE,
    }
    connections[DEFAULT_DB_ALIAS] = own
    try:
        own.ensure_connection()
        yield
    finally:
        own.close()
        connections[DEFAULT_DB_ALIAS] = usual
