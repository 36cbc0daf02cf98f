"""Actors of the exports feature."""

from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone

from project.actors.periodic import periodic
from project.monitoring.noting import note_export
from project.queue import actor
from project.queue.units import milliseconds
from project.services.exports.expire import expire, remove_orphans
from project.services.exports.run import Depot, run
from project.services.exports.storage import Storage

DEPOT = Depot(Storage(settings.OBJECT_STORE, settings.PUBLIC_ENDPOINT), settings.SITE_URL, settings.LIMITS)
# An export ends itself after `export_time`; the queue interrupts it only if that did not work.
TIME_LIMIT = settings.LIMITS.export_time + timedelta(minutes=5)


# A worker that is stopped gives its exports back at once: they are not worth waiting for, and start anew.
@actor(queue_name="exports", time_limit=milliseconds(TIME_LIMIT), notify_shutdown=True)
def run_export(export_id: str, dispatch: int) -> None:
    """Make one export."""
    note_export(run(UUID(export_id), dispatch, owner=uuid4(), depot=DEPOT, clock=timezone.now))


@periodic(queue_name="maintenance")
def expire_exports() -> None:
    """Remove archives whose time is over."""
    expire(storage=DEPOT.storage, now=timezone.now(), limits=settings.LIMITS)


@periodic(queue_name="maintenance")
def remove_orphaned_archives() -> None:
    """Remove archives and unfinished uploads that no export owns."""
    remove_orphans(storage=DEPOT.storage, now=timezone.now(), limits=settings.LIMITS)
