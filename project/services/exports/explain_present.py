"""Where an export stands, and what happens next and when."""

from project.limits import Limits
from project.models import MOMENT, ExportRun, ExportStatus, Step
from project.services.exports.link import offered_until
from project.services.exports.scope import Scope, scope_of

_S = ExportStatus


def present_steps(run: ExportRun, limits: Limits) -> list[Step]:
    """Tell what it waits for, or how it ended and what is left of it."""
    match run.status:
        case _S.QUEUED:
            return [_waiting(run, limits)]
        case _S.PROCESSING:
            return [_working(run, limits)]
        case _S.COMPLETED:
            return [
                _archive(run),
                _link(run, limits),
                Step("expiry", run.expires_at, "the archive is removed"),
            ]
        case _S.EXPIRED:
            return [
                _archive(run),
                Step("expired", run.expires_at, "its time was over: the archive is removed"),
            ]
        case _S.FAILED:
            again = f"`manage.py exports requeue {run.export_id}` tries again"
            return [Step("failed", run.ended_at, again, run.reason)]
        case _:
            return [Step("cancelled", run.ended_at, "by its initiator, or by an order")]


def _waiting(run: ExportRun, limits: Limits) -> Step:
    last = f"last attempt: {run.reason}" if run.reason else ""
    if run.enqueued_at is None or run.enqueued_at < run.due_at:
        return Step("waiting", run.due_at, "is tried again then", last)
    again = f"its wake-up is sent again at {run.enqueued_at + limits.overdue:{MOMENT}} if no worker takes it"
    what = f"on the queue since {run.enqueued_at:{MOMENT}}"
    return Step("waiting", run.due_at, what, "; ".join(filter(None, (last, again))))


def _working(run: ExportRun, limits: Limits) -> Step:
    assert run.started_at and run.progress_at  # noqa: S101 (a constraint of the table)
    silent, over = run.progress_at + limits.overdue, run.started_at + limits.export_time
    because = f"is taken over if it is silent until {silent:{MOMENT}}; fails if not done by {over:{MOMENT}}"
    return Step("working", run.progress_at, "a worker is at it, and showed a sign of life then", because)


def _archive(run: ExportRun) -> Step:
    cut = f"texts that were too long for Excel: {run.cut_cells}" if run.cut_cells else ""
    what = f"{run.rows_done} rows, {run.size} bytes, SHA-256 {run.sha256}, stored as {run.key}"
    return Step("completed", run.ended_at, what, cut)


def _link(run: ExportRun, limits: Limits) -> Step:
    export, until = run.export, offered_until(run.export, limits)
    held = Scope(frozenset(run.full_projects), frozenset(run.own_projects))
    if export.deleted_at:
        return Step("link", None, "is given to nobody", "its initiator took it off the list")
    if not scope_of(export.initiated_by_id, export.workspace_id).covers(held):
        lost = f"{export.initiated_by} may no longer see everything that is in it"
        return Step("link", None, "is given to nobody", f"{lost}; would be given if they could")
    works = f"each works for {limits.export_link.total_seconds():g} seconds"
    return Step("link", until, "is given to its initiator until then", works)
