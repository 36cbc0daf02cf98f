"""What a person sees of their exports."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from project.limits import Limits
from project.models import Exporter, ExportStatus, User, Workspace
from project.services.exports.link import offered_until


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How an export stands.

    Attributes:
        reason: Why it failed, or what it waits for; otherwise empty.
        percent: Of the rows that are written; 100 only when it is completed.
        link_until: Until when links are given out; None if they are not.
        cut_cells: How many texts were too long for Excel and were cut.
    """

    id: UUID
    provider: str
    projects: list[UUID]
    created_at: datetime
    status: ExportStatus
    reason: str
    rows_done: int
    rows_total: int | None
    percent: int
    size: int | None
    cut_cells: int
    ended_at: datetime | None
    link_until: datetime | None


def exports_of(user: User, workspace: Workspace) -> QuerySet[Exporter]:
    """Return a person's own exports, the newest first. Nobody sees those of others."""
    own = Exporter.objects.filter(initiated_by=user, workspace=workspace, run__isnull=False)
    return own.select_related("run", "workspace").order_by("-created_at", "-id")


def standing(export: Exporter, *, now: datetime, limits: Limits) -> Standing:
    """Tell how an export stands; `export` has its run loaded."""
    run = export.run
    until = offered_until(export, limits) if run.status == ExportStatus.COMPLETED else None
    offered = until is not None and now < until
    return Standing(
        id=export.id,
        provider=export.provider,
        projects=export.project or [],
        created_at=export.created_at,
        # An archive that is kept for the downloads that run is no longer there for new ones.
        status=ExportStatus.EXPIRED if until and not offered else ExportStatus(run.status),
        reason=run.reason,
        rows_done=run.rows_done,
        rows_total=run.rows_total,
        percent=_percent(export),
        size=run.size,
        cut_cells=run.cut_cells,
        ended_at=run.ended_at,
        link_until=until if offered else None,
    )


def _percent(export: Exporter) -> int:
    run = export.run
    if run.status in {ExportStatus.COMPLETED, ExportStatus.EXPIRED}:
        return 100
    # An export of no rows has everything written but is not done before it is published.
    return min(99, 100 * run.rows_done // run.rows_total) if run.rows_total else 0
