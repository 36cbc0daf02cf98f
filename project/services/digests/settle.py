"""Digests that passed the fence and whose answer nobody recorded.

The worker died between the final dot and its last write, or the database was away for longer than the worker
could wait with the answer (`Limits.answer_patience`). The server had been given the whole mail, and our dying
does not take it back: of 27 that killed workers left in a test, 24 had been accepted. So it counts as sent, with
that said in its reason, unless the operators want to decide.
"""

from datetime import datetime

from django.db import transaction

from project.limits import Doubt, Limits
from project.models import DigestStatus, EmailDigest, advance
from project.services.digests.ambiguity import Cause, policy_for
from project.services.digests.attempts import stamp_sent

CRASHED = f"{Cause.CRASH}: the worker ended after the final dot, before it could record the answer"


def settle_unanswered(*, now: datetime, limits: Limits) -> int:
    """Close digests that have been fenced for longer than any living worker would wait for the answer.

    Returns:
        How many were closed, as SENT_ASSUMED or HELD, at most `limits.sweep_batch` of each class.
    """
    return sum(_settle(urgent, now, limits) for urgent in (True, False))


def _settle(urgent: bool, now: datetime, limits: Limits) -> int:
    held = policy_for(Cause.CRASH, urgent=urgent, limits=limits) is Doubt.HOLD
    with transaction.atomic(durable=True):
        waited = EmailDigest.objects.filter(
            status=DigestStatus.FENCED, urgent=urgent, dot_at__lte=now - limits.fence_patience
        ).order_by("dot_at")
        ids = list(
            waited.select_for_update(skip_locked=True).values_list("id", flat=True)[: limits.sweep_batch]
        )
        closed = advance(
            EmailDigest.objects.filter(id__in=ids),
            to=DigestStatus.HELD if held else DigestStatus.SENT_ASSUMED,
            ended_at=now,
            reason=CRASHED,
            unanswered=0,
        )
        if not held:
            stamp_sent(ids, now=now)
    return closed
