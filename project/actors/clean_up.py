"""Actors that delete what nobody needs any more."""

from collections.abc import Callable

from django.conf import settings
from django.utils import timezone

from project.actors.exports import DEPOT
from project.actors.periodic import outcome, periodic
from project.services.maintenance.archive import Archive
from project.services.maintenance.hard_delete import hard_delete
from project.services.maintenance.old_mail import remove_old_mail
from project.services.maintenance.old_records import remove_old_records, remove_spent
from project.services.maintenance.purge import Purge


@periodic(queue_name="maintenance")
def delete_for_good() -> str:
    """Delete what was soft-deleted long ago."""
    return _run(hard_delete, _archive())


@periodic(queue_name="maintenance")
def delete_old_mail() -> str:
    """Delete the record of mails that ended long ago."""
    return _run(remove_old_mail, _archive())


@periodic(queue_name="maintenance")
def delete_old_records() -> str:
    """Delete old notifications, events, runs of the schedule and orders of operators."""
    return _run(remove_old_records, _archive())


@periodic(queue_name="maintenance")
def delete_spent_rows() -> str:
    """Delete ended sessions, and failures that the breaker does not count any more."""
    return _run(remove_spent, None)


def _run(clean_up: Callable[[Purge], None], archive: Archive | None) -> str:
    purge = Purge(limits=settings.LIMITS, clock=timezone.now, archive=archive)
    clean_up(purge)
    return outcome(purge, failed=bool(purge.failed))


def _archive() -> Archive | None:
    return Archive(settings.ARCHIVE_PREFIX, _put) if settings.ARCHIVE_PREFIX else None


def _put(key: str, content: bytes) -> None:
    with DEPOT.storage.upload(key, "application/gzip") as upload:
        upload.write(content)
        upload.finish()
