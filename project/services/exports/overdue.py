"""The sweep of the exports: what is due, or shows no sign of life, is named again."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from project.limits import Limits
from project.models import ExportRun, ExportStatus, Wake


def overdue_exports(*, now: datetime, limits: Limits) -> list[Wake]:
    """Find exports that wait for their next attempt and are due, and those whose wake-up or worker got lost."""
    stale = now - limits.overdue
    never_named_or_lost = Q(enqueued_at__isnull=True) | Q(enqueued_at__lte=stale)
    due = Q(status=ExportStatus.QUEUED, due_at__lte=now)
    silent = Q(status=ExportStatus.PROCESSING, progress_at__lte=stale)
    rows = ExportRun.objects.filter(never_named_or_lost & (due | silent)).order_by("due_at")
    with transaction.atomic(durable=True):
        locked = list(
            rows.select_for_update(skip_locked=True).values_list("export_id", "dispatch")[
                : limits.sweep_batch
            ]
        )
        ExportRun.objects.filter(export_id__in=[row_id for row_id, _ in locked]).update(enqueued_at=now)
    return [Wake(*row) for row in locked]
