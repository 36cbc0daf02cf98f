"""Exports that are made in another thread, by way of a store that can be slow or break off."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread
from time import monotonic, sleep
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import connections
from django.utils import timezone

from project.models import Exporter, ExportRun
from project.services.exports import run as running
from project.services.exports.cancel import cancel
from project.services.exports.names import Key
from project.services.exports.run import Depot
from project.services.exports.storage import Storage
from tests.services.exports.exporting import LIMITS, SITE, storage


def behind(port: int, **limits: Any) -> Depot:
    """A depot whose store is reached through a port of this machine."""
    store = replace(settings.OBJECT_STORE, endpoint=f"http://127.0.0.1:{port}")
    return Depot(Storage(store, store.endpoint), SITE, replace(LIMITS, **limits))


def left(export: Exporter) -> list[str]:
    """What the store holds of an export, unfinished uploads too."""
    return [found.key for found in storage().found(Key(export.workspace_id, export.id, 1).folder)]


def run_of(export: Exporter) -> ExportRun:
    return ExportRun.objects.get(export=export)


@contextmanager
def made_meanwhile(export: Exporter, depot: Depot) -> Iterator[Thread]:
    """Make the export in another thread."""

    def work() -> None:
        try:
            running.run(export.id, 1, owner=uuid4(), depot=depot, clock=timezone.now)
        finally:
            connections.close_all()

    thread = Thread(target=work)
    thread.start()
    yield thread
    thread.join(30)
    assert not thread.is_alive()


def until(condition: Callable[[], object], seconds: float = 30) -> float:
    """Wait for it, and return how long that took."""
    began = monotonic()
    while not condition():
        assert monotonic() - began < seconds
        sleep(0.02)
    return monotonic() - began


def elsewhere(work: Callable[[], Any]) -> Any:
    """Do it in a connection of its own, outside of this test's transaction."""
    result = []

    def do() -> None:
        result.append(work())
        connections.close_all()

    thread = Thread(target=do)
    thread.start()
    thread.join(10)
    return result[0]


def status_elsewhere(export: Exporter) -> str:
    return str(elsewhere(lambda: run_of(export).status))


def cancel_elsewhere(export: Exporter) -> bool:
    return bool(elsewhere(lambda: cancel(export, now=timezone.now())))
