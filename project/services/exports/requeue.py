"""What operators order about exports that failed: try again.

An order names each export with the dispatch under which the operator saw it, and is carried out only if the
export still stands there. So a double click, or two operators at once, are one order.
"""

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import F

from project.models import MOMENT, ExportRun, ExportStatus, Order, Prospect, Report, RequeueAudit, Wake
from project.models.export import OPEN
from project.services.exports.attempts import move


def if_requeued(targets: Sequence[Wake]) -> dict[str, Prospect]:
    """Tell what re-queueing would come to now, by the ids of the exports."""
    runs = ExportRun.objects.select_related("export").in_bulk([wake.row_id for wake in targets])
    return {str(row_id): _judge(runs.get(row_id), dispatch) for row_id, dispatch in targets}


def requeue(targets: Sequence[Wake], order: Order) -> Report:
    """Let failed exports be tried again, at once and with a fresh count of failures.

    The next attempt takes a new snapshot, and asks again what its initiator may see.
    """
    with transaction.atomic(durable=True):
        _lock([wake.row_id for wake in targets])
        prospects = if_requeued(targets)
        again = [wake for wake in dict.fromkeys(targets) if prospects[str(wake.row_id)].acts]
        for wake in again:
            move(
                ExportRun.objects.filter(export_id=wake.row_id),
                to=ExportStatus.QUEUED,
                dispatch=F("dispatch") + 1,
                due_at=order.at,
                enqueued_at=order.at,
                failures=0,
                unanswered=0,
                owner=None,
                ended_at=None,
            )
        outcomes = {key: prospect.came_true(order.verb) for key, prospect in prospects.items()}
        audit = RequeueAudit.begin(order, RequeueAudit.Target.EXPORTS, outcomes)
        audit.finish(outcomes, now=order.at)
    return Report(outcomes, [Wake(row_id, dispatch + 1) for row_id, dispatch in again])


def _lock(export_ids: Sequence[UUID]) -> None:
    # In the same order for everybody: two operators then wait for each other, and do not deadlock.
    # The exports, too, whose `deleted_at` is judged.
    runs = ExportRun.objects.select_related("export").select_for_update()
    list(runs.filter(export_id__in=export_ids).order_by("export_id"))


def _judge(run: ExportRun | None, dispatch: int) -> Prospect:
    if run is None:
        return Prospect(False, "no such export")
    standing = f"{run.status}{f' since {run.ended_at:{MOMENT}}' if run.ended_at else ''}"
    if run.export.deleted_at:
        return Prospect(False, "taken off the list", f"on {run.export.deleted_at:{MOMENT}}")
    if run.dispatch != dispatch:
        return Prospect(False, "already re-queued", f"dispatch {run.dispatch}, it is {standing}")
    if run.status != ExportStatus.FAILED:
        return Prospect(False, "under way" if run.status in OPEN else "ended well", standing)
    same = (
        ExportRun.objects.filter(wish=run.wish, status__in=OPEN).values_list("export_id", flat=True).first()
    )
    if same:
        return Prospect(False, "asked for again", f"its initiator has the same as export {same} by now")
    return Prospect(True, "will run", f"{standing}: {run.reason}")
