"""What became of this export? The way from the wish to the link, step by step, as the rows tell it now."""

from collections.abc import Iterator
from datetime import datetime
from uuid import UUID

from project.limits import Limits
from project.models import (
    EmailNotificationLog,
    Entity,
    ExportFormat,
    ExportRun,
    NotFoundError,
    Notification,
    RequeueAudit,
    Step,
    Story,
)
from project.services.exports.explain_present import present_steps


def explain_export(export_id: UUID, /, *, now: datetime, limits: Limits) -> list[Story]:
    """Tell the story of one export, one that was taken off its initiator's list too.

    Raises:
        NotFoundError: if there is none with this id.
    """
    runs = ExportRun.objects.select_related("export__initiated_by", "export__workspace")
    run = runs.filter(export_id=export_id).first()
    if run is None:
        raise NotFoundError(f"{export_id}: no such export.")
    past = sorted(_past(run), key=lambda step: step.when or run.export.created_at)
    about = f"{run.export.workspace.slug} for {run.export.initiated_by}"
    return [Story(f"{about}: an export as {_format(run)}", [*past, *present_steps(run, limits)])]


def _past(run: ExportRun) -> Iterator[Step]:
    yield _wish(run)
    for audit in RequeueAudit.about([run.export_id]):
        outcome = audit.rows[str(run.export_id)]
        yield Step("order", audit.at, outcome, f"ordered by {audit.by}: {audit.why}")
    if run.started_at:
        yield Step("attempt", run.started_at, f"attempt {run.attempt} began", _before(run))
    if run.snapshot_at:
        yield Step("snapshot", run.snapshot_at, f"holds {run.rows_total} issues", _scope(run))
    if run.progress_at and run.rows_total is not None:
        yield Step("progress", run.progress_at, f"{run.rows_done} of {run.rows_total} rows were written")
    yield from _told(run)
    if run.export.deleted_at:
        yield Step("removed", run.export.deleted_at, "its initiator took it off the list")


def _told(run: ExportRun) -> Iterator[Step]:
    """How its initiator heard of an end of it."""
    about = {"entity_name": Entity.EXPORT, "entity_identifier": run.export_id}
    for row in Notification.all_objects.filter(**about):
        yield Step("inbox", row.created_at, f"its end is in the inbox, {'' if row.read_at else 'not '}read")
    for log in EmailNotificationLog.all_objects.filter(**about):
        yield Step("line", log.created_at, "its end is to be mailed", f"`manage.py explain log {log.id}`")


def _wish(run: ExportRun) -> Step:
    export, files = run.export, "one file for each" if run.multiple else "in one file"
    what = (
        f"asked for {len(export.project or [])} projects as {_format(run)}, {files}, times in {run.time_zone}"
    )
    filters = "; ".join(f"{name} {_words(value)}" for name, value in (export.filters or {}).items() if value)
    return Step("wish", export.created_at, what, f"filters: {filters}" if filters else "")


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _before(run: ExportRun) -> str:
    """What the earlier attempts came to."""
    lost = max(run.unanswered - 1, 0)
    counts = {"failed before it": run.failures, "ended without an outcome before it": lost}
    told = [f"{words}: {number}" for words, number in counts.items() if number]
    return "; ".join([*told, f"owner {run.owner}"] if run.owner else told)


def _scope(run: ExportRun) -> str:
    return f"projects seen in full: {len(run.full_projects)}; own issues only: {len(run.own_projects)}"


def _format(run: ExportRun) -> str:
    return ExportFormat(run.export.provider).label
