"""The sweep of the exports: what is due, or shows no sign of life, is named again."""

from datetime import datetime

from django.db.models import F, Q

from project.limits import Limits
from project.models import ExportRun, ExportStatus, Wake


def overdue_exports(*, now: datetime, limits: Limits) -> list[Wake]:
    """Find exports that wait for their next attempt and are due, and those whose wake-up or worker got lost.

    One that was named only by the request that wrote it is found sooner: that request may have died before it
    sent anything. Who sends what is found here marks it as sent afterwards.
    """
    stale = now - limits.overdue
    never_sent_or_lost = Q(enqueued_at__isnull=True) | Q(enqueued_at__lte=stale)
    only_by_its_request = Q(enqueued_at=F("due_at"), enqueued_at__lte=now - limits.recovery_budget)
    due = Q(status=ExportStatus.QUEUED, due_at__lte=now)
    silent = Q(status=ExportStatus.PROCESSING, progress_at__lte=stale)
    rows = ExportRun.objects.filter((never_sent_or_lost & (due | silent)) | (only_by_its_request & due))
    found = rows.order_by("due_at").values_list("export_id", "dispatch")[: limits.sweep_batch]
    return [Wake(*row) for row in found]
