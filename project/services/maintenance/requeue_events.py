"""What operators order about events whose fan-out was given up: try again.

As with digests, an event is named with the dispatch under which the operator saw it.
"""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import F, QuerySet

from project.models import (
    MOMENT,
    EventStatus,
    IssueEvent,
    Order,
    Prospect,
    Report,
    RequeueAudit,
    Wake,
    advance,
)


def if_requeued(targets: Sequence[Wake]) -> dict[str, Prospect]:
    """Tell what re-queueing would come to now, by the ids of the events."""
    return _judged(IssueEvent.objects.all(), targets)


def requeue(targets: Sequence[Wake], order: Order) -> Report:
    """Let failed events be fanned out again, with a fresh count of attempts."""
    with transaction.atomic(durable=True):
        prospects = _judged(IssueEvent.objects.select_for_update().order_by("id"), targets)
        again = [wake for wake in dict.fromkeys(targets) if prospects[str(wake.row_id)].acts]
        advance(
            IssueEvent.objects.filter(id__in=[wake.row_id for wake in again]),
            to=EventStatus.PENDING,
            dispatch=F("dispatch") + 1,
            enqueued_at=order.at,
            attempts=0,
            reason="",
        )
        outcomes = {key: prospect.came_true(order.verb) for key, prospect in prospects.items()}
        RequeueAudit.begin(order, RequeueAudit.Target.EVENTS, outcomes).finish(outcomes, now=order.at)
    return Report(outcomes, [Wake(row_id, dispatch + 1) for row_id, dispatch in again])


def idle_events(wakes: Sequence[Wake]) -> dict[Wake, str]:
    """Tell which of these wake-ups would do nothing, each with the reason."""
    rows = IssueEvent.objects.in_bulk([wake.row_id for wake in wakes])
    found = {wake: _why_idle(rows.get(wake.row_id), wake.dispatch) for wake in wakes}
    return {wake: why for wake, why in found.items() if why}


def _judged(rows: QuerySet[IssueEvent], targets: Sequence[Wake]) -> dict[str, Prospect]:
    found = {event.id: event for event in rows.filter(id__in=[wake.row_id for wake in targets])}
    return {str(row_id): _judge(found.get(row_id), dispatch) for row_id, dispatch in targets}


def _judge(event: IssueEvent | None, dispatch: int) -> Prospect:
    if event is None:
        return Prospect(False, "no such event")
    if event.status == EventStatus.FANNED_OUT:
        return Prospect(False, "already fanned out", f"at {event.fanned_out_at:{MOMENT}}")
    if event.dispatch != dispatch:
        return Prospect(False, "already re-queued", f"dispatch {event.dispatch}, it is {event.status}")
    if event.status == EventStatus.PENDING:
        return Prospect(False, "under way", f"on the queue since {event.enqueued_at:{MOMENT}}")
    return Prospect(True, "will run", event.reason)


def _why_idle(event: IssueEvent | None, dispatch: int) -> str:
    if event is None:
        return "the event is gone"
    if event.status == EventStatus.FANNED_OUT:
        return f"the event is fanned out already, at {event.fanned_out_at:{MOMENT}}"
    if event.dispatch > dispatch:
        return f"the event has a later dispatch ({event.dispatch})"
    if event.status == EventStatus.FAILED:
        return f"the event failed: {event.reason}; `events requeue {event.id}` tries it again"
    return ""
