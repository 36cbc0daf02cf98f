"""Tells an initiator how their export ended: in the inbox at once, and by a line that waits to be mailed.

Both are written in the transaction that ends the run, and named after the export and the dispatch that ended: an
end is told neither twice nor never, and one that operators let happen anew is told anew.
"""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid5

from project.limits import Limits
from project.models import (
    EmailNotificationLog,
    Entity,
    Exporter,
    ExportFormat,
    ExportStatus,
    Notification,
    Project,
)

#: Never to be changed: every id given out so far was made from it.
NAMESPACE = UUID("ecd25bc5-0f35-4830-8f07-bbc546e0c2ae")
TITLE_LENGTH = 255  # characters of a project's name in a title, as Plane's column holds

_ENDED = {ExportStatus.COMPLETED: "is ready", ExportStatus.FAILED: "failed"}


def notification_id(export_id: UUID, dispatch: int) -> UUID:
    """Return the id of the in-app row about this end."""
    return uuid5(NAMESPACE, f"notification:{export_id}:{dispatch}")


def log_id(export_id: UUID, dispatch: int) -> UUID:
    """Return the id of the log row (the line to mail) about this end."""
    return uuid5(NAMESPACE, f"email:{export_id}:{dispatch}")


def tell(export_id: UUID, *, now: datetime, limits: Limits) -> None:
    """Write both rows about an export that has just ended as COMPLETED or FAILED; to be called in a transaction."""
    export = Exporter.all_objects.select_related("run", "workspace").get(id=export_id)
    data = _data(export, now + limits.export_offered)
    common = {
        "created_at": now,
        "entity_name": Entity.EXPORT,
        "entity_identifier": export.id,
        "receiver_id": export.initiated_by_id,
        "triggered_by_id": export.initiated_by_id,
        "data": {"export": data},
    }
    notification = Notification(
        id=notification_id(export.id, export.run.dispatch),
        workspace=export.workspace,
        sender=f"in_app:export:{export.run.status}",
        title=data["title"],
        **common,
    )
    line = EmailNotificationLog(id=log_id(export.id, export.run.dispatch), **common)
    Notification.objects.bulk_create([notification], ignore_conflicts=True)
    EmailNotificationLog.objects.bulk_create([line], ignore_conflicts=True)


def _data(export: Exporter, offered_until: datetime) -> dict[str, Any]:
    run = export.run
    completed = run.status == ExportStatus.COMPLETED
    return {
        "id": str(export.id),
        "dispatch": run.dispatch,
        "status": run.status,
        "title": _title(export),
        "workspace_slug": export.workspace.slug,
        "provider": export.provider,
        "reason": run.reason,
        "rows": run.rows_total if completed else None,
        "size": run.size,
        "cut_cells": run.cut_cells,
        "offered_until": offered_until.isoformat() if completed else None,
    }


def _title(export: Exporter) -> str:
    kind, end = ExportFormat(export.provider).label, _ENDED[ExportStatus(export.run.status)]
    return f"Your {kind} export of {_projects(export)} {end}"


def _projects(export: Exporter) -> str:
    ids = export.project or []
    if len(ids) != 1:
        return f"{len(ids)} projects"
    name = Project.all_objects.values_list("name", flat=True).filter(id=ids[0]).first()
    return (name or "a project")[:TITLE_LENGTH]
