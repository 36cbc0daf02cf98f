"""The attempt: every status of a digest between its claim and its end is written here.

Each function is one short transaction, and a compare-and-set on (id, attempt, owner, status). No
transaction is open while a mail server is spoken to.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from project.limits import Limits
from project.models import DigestStatus, EmailDigest, EmailDigestLine, EmailNotificationLog, advance


@dataclass(frozen=True)
class Attempt:
    """The right to work on a digest: valid until somebody else begins the next attempt."""

    digest_id: UUID
    number: int
    owner: UUID

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
        )
        if not moved:
            return None
        number, unanswered = rows.values_list("attempt", "unanswered").get()
        attempt = Attempt(digest_id, number, owner)
        if unanswered > limits.mail_reclaims:
            end(
                attempt,
                DigestStatus.FAILED,
                f"poison: {unanswered - 1} attempts began and none ended",
                now=now,
            )
            return None
    return attempt


def fence(attempt: Attempt, *, now: datetime) -> bool:
    """T2: the last write before the irrevocable one. False means stop: somebody else owns this digest."""
    with transaction.atomic(durable=True):
        return advance(attempt.row(), to=DigestStatus.FENCED, dot_at=now) == 1


def give_back(attempt: Attempt) -> None:
    """Return an interrupted attempt that certainly sent nothing, without charging it."""
    with transaction.atomic(durable=True):
        advance(attempt.row(), to=DigestStatus.WAITING, unanswered=0, owner=None, dot_at=None)


def put_off(attempt: Attempt, *, until: datetime, answer: str, charge: bool) -> None:
    """Wait until `until` and try again, under a new dispatch. Only for attempts that certainly sent nothing.

    The sweep sends the wake-up when it is due.
    """
    with transaction.atomic(durable=True):
        advance(
            attempt.row(),
            to=DigestStatus.WAITING,
            due_at=until,
            enqueued_at=None,
            dispatch=F("dispatch") + 1,
            failures=F("failures") + int(charge),
            unanswered=0,
            owner=None,
            dot_at=None,
            answer=answer,
        )


def end(attempt: Attempt, status: DigestStatus, reason: str, *, now: datetime, answer: str = "") -> bool:
    """T3: record how the digest ended, and with it each of its lines that was not left out alone."""
    with transaction.atomic():
        stamps: dict[str, Any] = {"ended_at": now, "reason": reason, "answer": answer, "unanswered": 0}
        if not advance(attempt.row(), to=status, **stamps):
            return False
        if status in {DigestStatus.SENT, DigestStatus.SENT_ASSUMED}:
            stamp_sent([attempt.digest_id], now=now)
    return True


def stamp_sent(digest_ids: list[UUID], *, now: datetime) -> None:
    """Write ``sent_at`` of the lines that these digests carried, for the readers of Plane's own column."""
    mailed = EmailDigestLine.objects.filter(digest_id__in=digest_ids, suppressed="").values("log_id")
    EmailNotificationLog.objects.filter(id__in=mailed, sent_at__isnull=True).update(sent_at=now)
