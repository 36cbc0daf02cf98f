"""What operators order about stopped mail: that it is tried again now, since they mended what was wrong."""

from datetime import datetime

from django.db import transaction

from project.models import MOMENT, Order, Prospect, Report, RequeueAudit
from project.services.digests.breaker import Breaker


def if_resumed(breaker: Breaker, *, now: datetime) -> Prospect:
    """Tell what resuming would come to now."""
    state = breaker.state()
    if state.stopped_at is None:
        return Prospect(False, "flows", f"since {state.flows_since:{MOMENT}}" if state.flows_since else "")
    standing = f"stopped since {state.stopped_at:{MOMENT}}: {state.cause}"
    if state.probe_due(now):
        return Prospect(False, "is tried already", standing)
    return Prospect(True, "will be tried", f"{standing}; otherwise at {state.probe_at:{MOMENT}}")


def resume(breaker: Breaker, order: Order) -> Report:
    """Have one mail tried at once, and all the others if it is sent. Twice the same order is one.

    The digest to try it with is the one that waits longest; if none waits, the next tick makes one.
    """
    with transaction.atomic(durable=True):
        ahead = if_resumed(breaker, now=order.at)
        resumed = breaker.resume(now=order.at)
        outcome = ahead.came_true(order.verb) if resumed else if_resumed(breaker, now=order.at)
        outcomes = {breaker.address: outcome}
        audit = RequeueAudit.begin(order, RequeueAudit.Target.MAIL, outcomes)
        audit.finish(outcomes, now=order.at)
    return Report(outcomes, breaker.candidate(now=order.at) if resumed else [])
