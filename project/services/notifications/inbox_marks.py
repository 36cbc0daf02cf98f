"""What a person does with notifications: one statement each, however many they are, and again changes nothing.

What is read is not mailed any more: the digest asks for it before every attempt.
"""

from datetime import datetime

from django.db.models import QuerySet
from django.db.models.functions import Coalesce

from project.models import Notification

Rows = QuerySet[Notification]


def mark_read(rows: Rows, *, now: datetime) -> None:
    """Note that they were read; those that were keep their time."""
    rows.filter(read_at__isnull=True).update(read_at=now, updated_at=now)


def mark_unread(rows: Rows, *, now: datetime) -> None:
    """Let them wait for their reader once more."""
    rows.filter(read_at__isnull=False).update(read_at=None, updated_at=now)


def archive(rows: Rows, *, now: datetime) -> None:
    """Put them away, read or not."""
    rows.filter(archived_at__isnull=True).update(archived_at=now, updated_at=now)


def unarchive(rows: Rows, *, now: datetime) -> None:
    """Put them back into the inbox."""
    rows.filter(archived_at__isnull=False).update(archived_at=None, updated_at=now)


def snooze(rows: Rows, until: datetime | None, *, now: datetime) -> None:
    """Hide them until a time, or show them again at once."""
    rows.update(snoozed_till=until, updated_at=now)


def discard(rows: Rows, *, now: datetime) -> int:
    """Remove them from the inbox for good, which settles them: they count as read. Return how many there were."""
    return rows.update(deleted_at=now, read_at=Coalesce("read_at", now), updated_at=now)
