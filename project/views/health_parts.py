"""What ``/readyz`` tries. A part that fails raises; what a person can be told, as a `WrongError`."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache
from typing import Any, cast

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from project.actors.dead_letters import office
from project.actors.exports import DEPOT
from project.queue.client import connect
from project.queue.processes import WORKER, alive
from project.services.operations.backlog import backlogs, late
from project.services.operations.bounded import bounded

_CONNECT = 2  # seconds, the least that libpq takes seriously


class WrongError(Exception):
    """What is wrong, and what to do about it if that is not what the check always advises."""

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(what)
        self.advice = advice


def database() -> None:
    """PostgreSQL answers."""
    with _in_time(), connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def migrations() -> None:
    """The tables are as this version of the code knows them. Newer ones will do: a deploy is under way."""
    with _in_time():
        missing = _known_migrations() - MigrationRecorder(connection).applied_migrations().keys()
    if missing:
        raise WrongError("not applied: " + ", ".join(sorted(f"{app}.{name}" for app, name in missing)))


def redis_servers() -> None:
    """Both logical databases answer, and Redis forgets nothing when it is full."""
    for url in (settings.REDIS_URL, settings.DEDUP_REDIS_URL):
        with connect(url, settings.LIMITS.enqueue_timeout) as client:
            policy = cast(dict[str, Any], client.info("memory")).get("maxmemory_policy")
        if policy != "noeviction":
            raise WrongError(
                f"maxmemory-policy is {policy}: whole queues can vanish",
                "Set maxmemory-policy noeviction, in Redis' configuration too.",
            )


def storage() -> None:
    """The bucket for archives is there, and our keys open it."""
    DEPOT.storage.look(patience=timedelta(seconds=_CONNECT))


def workers() -> None:
    """Every queue has a living worker."""
    queues = office().counts().keys()
    with connect(settings.REDIS_URL, settings.LIMITS.enqueue_timeout) as client:
        at_work = alive(client, WORKER, settings.LIMITS.recovery_budget)
    if idle := queues - {queue for worker in at_work for queue in worker.queues}:
        raise WrongError("nobody works on: " + ", ".join(sorted(idle)))


def work() -> None:
    """Nothing has been due for too long."""
    with _in_time():
        overdue = late(backlogs(now=timezone.now()), settings.LIMITS)
    if overdue:
        ages = ", ".join(f"{kind} {age:.0f} s" for kind, age in overdue.items())
        raise WrongError(f"due for too long: {ages}")


@contextmanager
def _in_time() -> Iterator[None]:
    """Let this thread ask the database on a new connection that gives up in time: one that exists may be to a
    server that is gone, and wait for it for minutes.
    """
    own = connections[DEFAULT_DB_ALIAS].copy()
    own.settings_dict["OPTIONS"] = {
        **own.settings_dict["OPTIONS"],
        "connect_timeout": _CONNECT,
        "tcp_user_timeout": _CONNECT * 1000,
    }
    connections[DEFAULT_DB_ALIAS] = own
    try:
        with bounded(settings.LIMITS):
            yield
    finally:
        own.close()
        del connections[DEFAULT_DB_ALIAS]


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    """The migrations of the code, which does not change while it runs."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    return frozenset(loader.graph.nodes)
