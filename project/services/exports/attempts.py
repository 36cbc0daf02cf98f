"""The attempt: every status of a run between its request and its end is written here.

Each function is one short transaction, and a compare-and-set on (id, attempt, owner, status). None is open
while the archive is made: the snapshot has a connection of its own.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from project.limits import Limits
from project.models import Exporter, ExportRun, ExportStatus, advance
from project.services.exports.scope import Scope
from project.services.exports.telling import tell
from project.services.exports.upload import Stored


@dataclass(frozen=True)
class Attempt:
    """The right to work on an export: valid until it is cancelled or somebody begins the next attempt."""

    export_id: UUID
    number: int
    owner: UUID

    def row(self) -> QuerySet[ExportRun]:
        """The run, if this attempt still owns it."""
        return ExportRun.objects.filter(export_id=self.export_id, attempt=self.number, owner=self.owner)


def begin(export_id: UUID, dispatch: int, *, owner: UUID, now: datetime, limits: Limits) -> Attempt | None:
    """Take the export for `owner` and count the start, before anything can go wrong.

    An export that another worker left in PROCESSING is taken over: that worker's fence fails from here on.

    Returns:
        The attempt, or None if there is nothing to do for this dispatch: a later one exists, the export
        ended, or too many starts without an outcome made it FAILED.
    """
    with transaction.atomic(durable=True):
        rows = ExportRun.objects.filter(export_id=export_id, dispatch=dispatch)
        moved = move(
            rows,
            to=ExportStatus.PROCESSING,
            attempt=F("attempt") + 1,
            unanswered=F("unanswered") + 1,
            owner=owner,
            started_at=now,
            progress_at=now,
            snapshot_at=None,
            rows_total=None,
            rows_done=0,
        )
        if not moved:
            return None
        number, unanswered = rows.values_list("attempt", "unanswered").get()
        attempt = Attempt(export_id, number, owner)
        if unanswered > limits.export_reclaims:
            reason = f"It was tried {unanswered - 1} times, and each time the worker that made it ended."
            fail(attempt, reason, now=now, limits=limits)
            return None
    return attempt


def note_snapshot(attempt: Attempt, *, at: datetime, scope: Scope, total: int) -> None:
    """Record what the archive will hold: the moment, the projects, the number of rows."""
    attempt.row().filter(status=ExportStatus.PROCESSING).update(
        snapshot_at=at, full_projects=sorted(scope.full), own_projects=sorted(scope.own), rows_total=total
    )


def note_progress(attempt: Attempt, *, rows: int, now: datetime) -> bool:
    """Record how far it has come. False means stop: it was cancelled, or somebody else owns it."""
    ours = attempt.row().filter(status=ExportStatus.PROCESSING)
    return ours.update(rows_done=rows, progress_at=now) == 1


def complete(attempt: Attempt, stored: Stored, *, rows: int, cut: int, now: datetime, limits: Limits) -> bool:
    """The fence: the archive becomes the export's. False means that somebody else owns it, or it was cancelled."""
    with transaction.atomic(durable=True):
        passed = move(
            attempt.row(),
            to=ExportStatus.COMPLETED,
            key=stored.key,
            size=stored.size,
            sha256=stored.sha256,
            rows_done=rows,
            cut_cells=cut,
            unanswered=0,
            ended_at=now,
            expires_at=now + limits.export_kept,
        )
        if passed:
            tell(attempt.export_id, now=now, limits=limits)
    return passed


def give_back(attempt: Attempt) -> None:
    """Return an interrupted attempt without charging it."""
    with transaction.atomic(durable=True):
        move(attempt.row(), to=ExportStatus.QUEUED, unanswered=0, owner=None)


def put_off(attempt: Attempt, *, until: datetime, reason: str) -> None:
    """Wait until `until` and try again, under a new dispatch; the sweep sends the wake-up when it is due."""
    with transaction.atomic(durable=True):
        move(
            attempt.row(),
            to=ExportStatus.QUEUED,
            due_at=until,
            enqueued_at=None,
            dispatch=F("dispatch") + 1,
            failures=F("failures") + 1,
            unanswered=0,
            owner=None,
            reason=reason,
        )


def fail(attempt: Attempt, reason: str, *, now: datetime, limits: Limits) -> None:
    """Record that the export failed, and why, in words for who asked for it."""
    with transaction.atomic():
        if move(attempt.row(), to=ExportStatus.FAILED, reason=reason, unanswered=0, ended_at=now):
            tell(attempt.export_id, now=now, limits=limits)


def move(runs: QuerySet[ExportRun], *, to: ExportStatus, **stamps: Any) -> bool:
    """Advance one run and mirror it in Plane's columns; to be called in a transaction.

    Returns:
        Whether it moved.
    """
    export_ids = list(runs.values_list("export_id", flat=True))
    stamps = {"reason": "", **stamps}
    if not advance(runs, to=to, **stamps):
        return False
    mirrored = {name: stamps[name] for name in ("reason", "key") if name in stamps}
    Exporter.all_objects.filter(id__in=export_ids).update(status=to, **mirrored)
    return True
