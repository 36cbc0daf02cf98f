"""Ends what its initiator does not want any more."""

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from project.models import Exporter, ExportRun, ExportStatus
from project.services.exports.attempts import move


def cancel(export: Exporter, *, now: datetime) -> bool:
    """Cancel an open export. A worker that makes it notices within a heartbeat, and removes what it wrote.

    Returns:
        Whether it was cancelled; False if it had ended before.
    """
    with transaction.atomic(durable=True):
        return move(_run(export), to=ExportStatus.CANCELLED, ended_at=now, owner=None)


def delete(export: Exporter, *, now: datetime) -> None:
    """Take an export off its initiator's list for ever. It is cancelled, or its archive expires at once."""
    with transaction.atomic(durable=True):
        move(_run(export), to=ExportStatus.CANCELLED, ended_at=now, owner=None)
        ExportRun.objects.filter(export=export, status=ExportStatus.COMPLETED).update(expires_at=now)
        Exporter.all_objects.filter(id=export.id, deleted_at=None).update(deleted_at=now)


def _run(export: Exporter) -> QuerySet[ExportRun]:
    return ExportRun.objects.filter(export=export)
