"""What follows from a verdict for its digest: the end, or when it is tried again."""

from datetime import datetime, timedelta

from project.limits import Limits
from project.models import DigestStatus, EmailDigest
from project.services.digests.ambiguity import resolve
from project.services.digests.attempts import Attempt, end, give_back, put_off
from project.services.digests.progress import Phase
from project.services.digests.replies import Kind, Verdict
from project.services.digests.suppression import POLICY_FOR, note_refusal

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
            resolve(attempt, verdict, now=now, limits=limits)
        case _:
            _refused(attempt, verdict, now=now, limits=limits)


def wait_before(failures: int, verdict: Verdict, *, seed: int, limits: Limits) -> timedelta:
    """Return how long to wait after the attempt that failed when `failures` had failed before it.

    Spread by ±20 %, the same for the same digest and attempt, so that what failed together does not come back
    together. No spread makes it shorter than the receiver's server wants it.
    """
    backoff = limits.mail_backoff[min(failures, len(limits.mail_backoff) - 1)]
    spread = backoff * (1 + JITTER * ((seed + failures * 7919) % 2001 / 1000 - 1))
    return max(spread, _least_wait(verdict))


def _least_wait(verdict: Verdict) -> timedelta:
    if verdict.outcome.phase is not Phase.RCPT:
        return timedelta(0)
    return {Kind.TRANSIENT: GREYLISTED, Kind.POLICY: POLICY_FOR}.get(verdict.kind, timedelta(0))


def _refused(attempt: Attempt, verdict: Verdict, *, now: datetime, limits: Limits) -> None:
    """Certainly not sent."""
    digest = EmailDigest.objects.defer("content").get(id=attempt.digest_id)
    note_refusal(digest, verdict, now=now)
    answer, charge = verdict.reason, verdict.charges_attempt
    too_big = verdict.kind is Kind.MESSAGE and verdict.outcome.phase is Phase.MAIL
    if too_big and not digest.abridged:
        put_off(attempt, until=now, answer=answer, charge=charge, abridged=True)
    elif verdict.permanent:
        end(attempt, DigestStatus.FAILED, f"{verdict.kind}: {answer}", now=now, answer=answer)
    elif now >= digest.created_at + limits.mail_expiry:
        reason = f"tried for {limits.mail_expiry}: last {verdict.kind}: {answer}"
        end(attempt, DigestStatus.EXPIRED, reason, now=now, answer=answer)
    else:
        wait = wait_before(digest.failures, verdict, seed=attempt.digest_id.int, limits=limits)
        put_off(attempt, until=now + wait, answer=answer, charge=charge)
