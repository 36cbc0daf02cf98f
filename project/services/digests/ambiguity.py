"""What is done about a mail whose final dot was written and whose answer nobody knows.

The server had the whole mail. If it was we who did not hear or record the answer, it has almost certainly
taken it: in crash tests it always had. If the server went away, nobody can tell.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from project.limits import Doubt, Limits
from project.models import DigestStatus, EmailDigest, EmailDigestLine
from project.services.digests.addresses import check_address
from project.services.digests.attempts import Attempt, end, resend
from project.services.digests.context import Context
from project.services.digests.progress import Fault, Outcome
from project.services.digests.replies import Verdict


class Cause(StrEnum):
    """Why the answer is not known. It begins the reason of the digest."""

    CRASH = "crash"
    INTERRUPTED = "interrupted"
    LOST_REPLY = "lost_reply"
    UNREADABLE = "unreadable"


#: Where the server may have refused the mail.
_SERVER_SIDE = frozenset({Cause.LOST_REPLY, Cause.UNREADABLE})


def policy_for(cause: Cause, *, urgent: bool, limits: Limits) -> Doubt:
    """Return the configured policy, as it applies to `cause`: after a fault of ours nothing is sent again."""
    policy = limits.ambiguous_urgent if urgent else limits.ambiguous_normal
    return Doubt.ASSUME_SENT if policy is Doubt.RESEND and cause not in _SERVER_SIDE else policy


def resolve(attempt: Attempt, verdict: Verdict, *, now: datetime, limits: Limits) -> None:
    """Assume, send again or hold. What was sent again is not sent a third time.

    It is sent again only when the server cannot be at the first copy any more.
    """
    cause = _cause(verdict.outcome)
    urgent = EmailDigest.objects.values_list("urgent", flat=True).get(id=attempt.digest_id)
    policy = policy_for(cause, urgent=urgent, limits=limits)
    reason = f"{cause}: {verdict.reason}"
    if policy is Doubt.HOLD:
        end(attempt, DigestStatus.HELD, reason, now=now, answer=verdict.reason)
    elif policy is Doubt.RESEND and not attempt.perhaps_sent:
        resend(attempt, until=now + limits.fence_patience, answer=verdict.reason)
    else:
        end(attempt, DigestStatus.SENT_ASSUMED, reason, now=now, answer=verdict.reason)


def why_not_again(context: Context, without: Mapping[UUID, str]) -> str:
    """Tell why a mail that is frozen must not be sent again, although there is something to mail; "" if it may.

    It must not if it goes to another address now, or if one of the lines that it tells is left out now.
    """
    digest = context.digest
    if check_address(context.receiver.email or "") != digest.to_address:
        return "the address changed"
    told = EmailDigestLine.objects.filter(digest=digest, suppressed="").values_list("log_id", flat=True)
    return next((without[log_id] for log_id in told if log_id in without), "")


def _cause(outcome: Outcome) -> Cause:
    match outcome.fault:
        case Fault.UNFINISHED:
            return Cause.INTERRUPTED
        case Fault.LOST | Fault.TIMEOUT:
            return Cause.LOST_REPLY
        case _:
            return Cause.UNREADABLE
