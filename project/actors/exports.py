"""Actors of the exports feature."""

from datetime import timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone

from project.actors.periodic import outcome, periodic
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
def expire_exports() -> str:
    """Remove archives whose time is over."""
    removed = expire(storage=DEPOT.storage, now=timezone.now(), limits=settings.LIMITS)
    return outcome(removed, failed=bool(removed.refused))


@periodic(queue_name="maintenance")
def remove_orphaned_archives() -> str:
    """Remove archives and unfinished uploads that no export owns, and unfinished uploads of deleted rows."""
    removed = remove_orphans(
        storage=DEPOT.storage, now=timezone.now(), limits=settings.LIMITS, kept=settings.ARCHIVE_PREFIX
    )
    return outcome(removed, failed=bool(removed.refused))
