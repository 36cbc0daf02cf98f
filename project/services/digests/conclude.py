"""What follows from a verdict: the end of the digest, or when it is tried again."""

from datetime import datetime, timedelta

from project.limits import Limits
from project.models import DigestStatus, EmailDigest
from project.services.digests.attempts import Attempt, end, give_back, put_off
from project.services.digests.progress import Phase
from project.services.digests.replies import Kind, Verdict

GREYLISTED = timedelta(minutes=5)  # servers that greylist want to see the same mail again, but not sooner
JITTER = 0.2


def conclude(attempt: Attempt, verdict: Verdict, *, now: datetime, limits: Limits) -> None:
    """Record the outcome of an attempt; a later attempt's row is left alone."""
    match verdict.kind:
        case Kind.REFUSED_BY_FENCE:
            return
        case Kind.INTERRUPTED:
            give_back(attempt)
        case Kind.SENT:
            end(attempt, DigestStatus.SENT, "", now=now, answer=verdict.reason)
        case Kind.AMBIGUOUS:
            reason = f"no answer after the final dot ({verdict.reason})"
            end(attempt, DigestStatus.SENT_ASSUMED, reason, now=now, answer=verdict.reason)
        case _ if verdict.permanent:
            reason = f"{verdict.kind}: {verdict.reason}"
            end(attempt, DigestStatus.FAILED, reason, now=now, answer=verdict.reason)
        case _:
            _try_later(attempt, verdict, now=now, limits=limits)


def wait_before(failures: int, verdict: Verdict, *, seed: int, limits: Limits) -> timedelta:
    """Return how long to wait after the attempt that failed when `failures` had failed before it.

    Spread by ±20 %, the same for the same digest and attempt, so that what failed together does not come back
    together.
    """
    backoff = limits.mail_backoff[min(failures, len(limits.mail_backoff) - 1)]
    if verdict.kind is Kind.TRANSIENT and verdict.outcome.phase is Phase.RCPT:
        backoff = max(backoff, GREYLISTED)
    return backoff * (1 + JITTER * ((seed + failures * 7919) % 2001 / 1000 - 1))


def _try_later(attempt: Attempt, verdict: Verdict, *, now: datetime, limits: Limits) -> None:
    failures, created_at = (
        EmailDigest.objects.filter(id=attempt.digest_id).values_list("failures", "created_at").get()
    )
    if now >= created_at + limits.mail_expiry:
        reason = f"tried for {limits.mail_expiry}: last {verdict.kind}: {verdict.reason}"
        end(attempt, DigestStatus.EXPIRED, reason, now=now, answer=verdict.reason)
        return
    wait = wait_before(failures, verdict, seed=attempt.digest_id.int, limits=limits)
    put_off(attempt, until=now + wait, answer=verdict.reason, charge=verdict.charges_attempt)
