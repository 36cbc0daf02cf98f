"""The attempt: every status of a digest between its claim and its end is written here.

Each function is one short transaction, and a compare-and-set on (id, attempt, owner, status). No
transaction is open while a mail server is spoken to.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from project.limits import Limits
from project.models import DigestStatus, EmailDigest, EmailDigestLine, EmailNotificationLog, advance
from project.models.digest import UNSENT


@dataclass(frozen=True)
class Attempt:
    """The right to work on a digest: valid until somebody else begins the next attempt.

    `perhaps_sent` says that an earlier attempt wrote the final dot and never learnt the answer.
    """

    digest_id: UUID
    number: int
    owner: UUID
    perhaps_sent: bool = False

    def row(self) -> QuerySet[EmailDigest]:
        """The digest, if this attempt still owns it."""
        return EmailDigest.objects.filter(id=self.digest_id, attempt=self.number, owner=self.owner)


def begin(digest_id: UUID, dispatch: int, *, owner: UUID, now: datetime, limits: Limits) -> Attempt | None:
    """T1: take the digest for `owner` and count the start, before anything can go wrong.

    A digest that another worker left in SENDING is taken over: that worker's fence fails from here on.

    Returns:
        The attempt, or None if there is nothing to do for this dispatch: a later one exists, the digest ended
        or passed its fence, or too many starts without an outcome made it FAILED.
    """
    with transaction.atomic(durable=True):
        rows = EmailDigest.objects.filter(id=digest_id, dispatch=dispatch)
        moved = advance(
            rows,
            to=DigestStatus.SENDING,
            attempt=F("attempt") + 1,
            unanswered=F("unanswered") + 1,
            owner=owner,
            started_at=now,
            awaits_breaker=False,
        )
        if not moved:
            return None
        number, unanswered, dot_at = rows.values_list("attempt", "unanswered", "dot_at").get()
        attempt = Attempt(digest_id, number, owner, perhaps_sent=dot_at is not None)
        if unanswered > limits.mail_reclaims:
            poison = f"poison: {unanswered - 1} attempts began and none ended"
            end(attempt, DigestStatus.FAILED, poison, now=now)
            return None
    return attempt


def fence(attempt: Attempt, *, now: datetime) -> bool:
    """T2: the last write before the irrevocable one. False means stop: somebody else owns this digest."""
    with transaction.atomic(durable=True):
        return advance(attempt.row(), to=DigestStatus.FENCED, dot_at=now) == 1


def give_back(attempt: Attempt) -> None:
    """Return an interrupted attempt that certainly sent nothing, without charging it.

    Before the fence the message that was interrupted comes again. Behind it a copy of the message may have
    come and found nothing to do, so that no further one would be heard: then it is a new dispatch.
    """
    with transaction.atomic(durable=True):
        unfenced = attempt.row().filter(status=DigestStatus.SENDING)
        if advance(unfenced, to=DigestStatus.WAITING, unanswered=0, owner=None):
            return
    _wait(attempt, **_no_dot(attempt))


def put_off(attempt: Attempt, *, until: datetime, answer: str, charge: bool, **stamps: Any) -> None:
    """Wait until `until` and try again, under a new dispatch. Only for attempts that certainly sent nothing.

    The sweep sends the wake-up when it is due. Further columns may be written by `stamps`.
    """
    failures = F("failures") + int(charge)
    _wait(attempt, due_at=until, answer=answer, failures=failures, **_no_dot(attempt), **stamps)


def resend(attempt: Attempt, *, until: datetime, answer: str) -> None:
    """Send the same bytes again at `until`, although this attempt may have sent them.

    The time of the final dot stays, and with it the doubt.
    """
    _wait(attempt, due_at=until, answer=answer)


def end(attempt: Attempt, status: DigestStatus, reason: str, *, now: datetime, answer: str = "") -> bool:
    """T3: record how the digest ended, and with it each of its lines that was not left out alone.

    What an earlier attempt may have sent does not end as unsent: it ends as SENT_ASSUMED, with the reason why
    it was not sent again.
    """
    stamps: dict[str, Any] = {"ended_at": now, "answer": answer, "unanswered": 0}
    if attempt.perhaps_sent and status in UNSENT:
        status, reason = DigestStatus.SENT_ASSUMED, f"perhaps sent, and not again: {reason}"
    elif status in UNSENT:
        stamps["dot_at"] = None
    with transaction.atomic():
        if not advance(attempt.row(), to=status, reason=reason, **stamps):
            return False
        if status in {DigestStatus.SENT, DigestStatus.SENT_ASSUMED}:
            stamp_sent([attempt.digest_id], now=now)
        else:
            _unstamp_sent(attempt.digest_id)
    return True


def hold(digest_id: UUID, dispatch: int, *, until: datetime) -> bool:
    """Let a digest wait because all mail is stopped: uncharged, under a new dispatch.

    An attempt that somebody left, or is still at, ends with this: its fence fails.
    """
    with transaction.atomic(durable=True):
        open_ = EmailDigest.objects.filter(
            id=digest_id, dispatch=dispatch, status__in=[DigestStatus.WAITING, DigestStatus.SENDING]
        )
        return advance(open_, to=DigestStatus.WAITING, **_held(until)) == 1


def reopen(digest_ids: Iterable[UUID], *, until: datetime) -> int:
    """Let digests wait that failed, were suppressed or put off, for a reason that turned out to be ours."""
    mistaken = EmailDigest.objects.filter(
        id__in=digest_ids,
        status__in=[DigestStatus.FAILED, DigestStatus.SUPPRESSED, DigestStatus.WAITING],
    )
    return advance(mistaken, to=DigestStatus.WAITING, ended_at=None, reason="", **_held(until))


def stamp_sent(digest_ids: list[UUID], *, now: datetime) -> None:
    """Write ``sent_at`` of the lines that these digests carried, for the readers of Plane's own column."""
    mailed = EmailDigestLine.objects.filter(digest_id__in=digest_ids, suppressed="").values("log_id")
    EmailNotificationLog.objects.filter(id__in=mailed, sent_at__isnull=True).update(sent_at=now)


def _unstamp_sent(digest_id: UUID) -> None:
    """Take back what was only assumed: a late answer said no."""
    lines = EmailDigestLine.objects.filter(digest_id=digest_id).values("log_id")
    EmailNotificationLog.objects.filter(id__in=lines, sent_at__isnull=False).update(sent_at=None)


def _wait(attempt: Attempt, **stamps: Any) -> None:
    again = {"enqueued_at": None, "dispatch": F("dispatch") + 1, "unanswered": 0, "owner": None}
    with transaction.atomic(durable=True):
        if advance(attempt.row(), to=DigestStatus.WAITING, ended_at=None, reason="", **again, **stamps):
            _unstamp_sent(attempt.digest_id)


def _held(until: datetime) -> dict[str, Any]:
    again = {"enqueued_at": None, "dispatch": F("dispatch") + 1, "owner": None}
    return {"due_at": until, "awaits_breaker": True, **again}


def _no_dot(attempt: Attempt) -> dict[str, Any]:
    """Forget the dot of an attempt that certainly sent nothing, unless an earlier one may have."""
    return {} if attempt.perhaps_sent else {"dot_at": None}
