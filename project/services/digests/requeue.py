"""What operators order about digests that did not go out: try again, or take for sent.

An order names each digest with the dispatch under which the operator saw it, and is carried out only if the
digest still stands there. So a double click, or two operators at once, are one order.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from project.models import (
    DigestStatus,
    EmailDigest,
    Order,
    Prospect,
    Report,
    RequeueAudit,
    Wake,
    advance,
)
from project.services.digests import requeue_rules
from project.services.digests.attempts import stamp_sent
from project.services.digests.context import load
from project.services.digests.recheck import recheck

Rule = Callable[[EmailDigest | None, int], Prospect]


def if_requeued(targets: Sequence[Wake], *, now: datetime) -> dict[str, Prospect]:
    """Tell what re-queueing would come to now, by the ids of the digests.

    Asks what the next attempt would ask: whether the receiver may still be mailed about the issue.
    """
    prospects = _judged(EmailDigest.objects.all(), targets, requeue_rules.if_requeued)
    return {key: _foreseen(key, prospect, now) for key, prospect in prospects.items()}


def if_assumed_sent(targets: Sequence[Wake]) -> dict[str, Prospect]:
    """Tell what taking for sent would come to now, by the ids of the digests."""
    return _judged(EmailDigest.objects.all(), targets, requeue_rules.if_assumed_sent)


def requeue(targets: Sequence[Wake], order: Order) -> Report:
    """Let failed, expired and held digests be tried again, at once and with a fresh count of failures.

    One that was sent is never touched. The next attempt asks again whether the mail may be sent and what is
    still news, but for a held one: that is sent again as it was. A digest that is older than `mail_expiry` has
    this one attempt.
    """
    with transaction.atomic(durable=True):
        outcomes = _judged(_locked(), targets, requeue_rules.if_requeued)
        again = _acted_on(targets, outcomes)
        advance(
            _rows(again),
            to=DigestStatus.WAITING,
            dispatch=F("dispatch") + 1,
            due_at=order.at,
            enqueued_at=order.at,
            failures=0,
            unanswered=0,
            awaits_breaker=False,
            owner=None,
            ended_at=None,
            reason="",
            answer="",
        )
        wakes = [Wake(row_id, dispatch + 1) for row_id, dispatch in again]
        return Report(_recorded(order, outcomes), wakes)


def assume_sent(targets: Sequence[Wake], order: Order) -> Report:
    """Close held digests as sent: the operator knows, or decides, that the mail server took them."""
    with transaction.atomic(durable=True):
        outcomes = _judged(_locked(), targets, requeue_rules.if_assumed_sent)
        closed = _acted_on(targets, outcomes)
        reason = f"taken for sent by {order.by}: {order.why}"
        advance(_rows(closed), to=DigestStatus.SENT_ASSUMED, ended_at=order.at, reason=reason)
        stamp_sent([wake.row_id for wake in closed], now=order.at)
        return Report(_recorded(order, outcomes), [])


def idle_digests(wakes: Sequence[Wake]) -> dict[Wake, str]:
    """Tell which of these wake-ups would do nothing, each with the reason."""
    rows = EmailDigest.objects.defer("content").in_bulk([wake.row_id for wake in wakes])
    found = {wake: requeue_rules.why_idle(rows.get(wake.row_id), wake.dispatch) for wake in wakes}
    return {wake: why for wake, why in found.items() if why}


def _foreseen(key: str, prospect: Prospect, now: datetime) -> Prospect:
    refusal = recheck(load(UUID(key)), now=now) if prospect.acts else None
    if refusal is None:
        return prospect
    return Prospect(True, "will be suppressed", f"{refusal}; {prospect.detail}")


def _locked() -> QuerySet[EmailDigest]:
    # In the same order for everybody: two operators then wait for each other, and do not deadlock.
    return EmailDigest.objects.select_for_update().order_by("id")


def _judged(rows: QuerySet[EmailDigest], targets: Sequence[Wake], rule: Rule) -> dict[str, Prospect]:
    wanted = rows.filter(id__in=[wake.row_id for wake in targets]).defer("content")
    found = {digest.id: digest for digest in wanted}
    return {str(row_id): rule(found.get(row_id), dispatch) for row_id, dispatch in targets}


def _acted_on(targets: Sequence[Wake], outcomes: dict[str, Prospect]) -> list[Wake]:
    return [wake for wake in dict.fromkeys(targets) if outcomes[str(wake.row_id)].acts]


def _rows(wakes: Sequence[Wake]) -> QuerySet[EmailDigest]:
    return EmailDigest.objects.filter(id__in=[wake.row_id for wake in wakes])


def _recorded(order: Order, prospects: dict[str, Prospect]) -> dict[str, Prospect]:
    outcomes = {key: prospect.came_true(order.verb) for key, prospect in prospects.items()}
    audit = RequeueAudit.begin(order, RequeueAudit.Target.DIGESTS, outcomes)
    audit.finish(outcomes, now=order.at)
    return outcomes
