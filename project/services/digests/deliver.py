"""Delivers one digest: ask the breaker, begin, seal, hand over up to the final dot, fence, dot, conclude."""

import logging
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from django.db import InterfaceError, OperationalError

from project.limits import Limits
from project.mail_server import MailServer
from project.models import DigestStatus
from project.services.digests.attempts import Attempt, begin, end, fence, hold
from project.services.digests.breaker import Breaker
from project.services.digests.conclude import conclude
from project.services.digests.connections import Connections
from project.services.digests.draft import Letterhead
from project.services.digests.failures import in_context
from project.services.digests.mail import Mail
from project.services.digests.persistence import persistently
from project.services.digests.progress import Progress
from project.services.digests.replies import Verdict, classify
from project.services.digests.seal import seal

logger = logging.getLogger(__name__)


class Outbox:
    """Where mail leaves: a connection per thread, the breaker, the letterhead, the limits. One for a process.

    `timed` is told the seconds that each phase of a transaction took, and its name.
    """

    def __init__(
        self,
        server: MailServer,
        letterhead: Letterhead,
        limits: Limits,
        timed: Callable[[float, str], None] | None = None,
    ) -> None:
        self.connections = Connections(server, limits)
        self.breaker = Breaker(server, letterhead.sender, limits)
        self.letterhead = letterhead
        self.limits = limits
        self.timed = timed


def deliver(
    digest_id: UUID, dispatch: int, *, owner: UUID, outbox: Outbox, clock: Callable[[], datetime]
) -> Verdict | None:
    """Do one attempt at a digest and record what became of it.

    Doing it again, at the same time or later, sends no second mail: a digest that ended, or that passed its
    fence, or that was put off under another dispatch is left alone.

    Returns:
        The verdict on the mail; None if the server was not asked.

    Raises:
        django.db.Error: if the database cannot be asked, or not within `limits.answer_patience` when the
            outcome is to be recorded; nothing was sent then, or it is settled by the sweep.
        BaseException: an interrupt of the worker, after the attempt was given back or concluded.
    """
    passage = outbox.breaker.admit(now=clock())
    if passage is None:
        hold(digest_id, dispatch, until=clock() + outbox.limits.breaker_probe_max)
        logger.info("digest %s dispatch %s: mail is stopped", digest_id, dispatch)
        return None
    verdict = _attempt(digest_id, dispatch, owner, outbox, clock)
    outbox.breaker.note(passage, verdict, now=clock())
    return verdict


def _attempt(
    digest_id: UUID, dispatch: int, owner: UUID, outbox: Outbox, clock: Callable[[], datetime]
) -> Verdict | None:
    """Return the verdict on the mail; None if the server was not asked."""
    attempt = begin(digest_id, dispatch, owner=owner, now=clock(), limits=outbox.limits)
    if attempt is None:
        logger.info("digest %s dispatch %s: nothing to do", digest_id, dispatch)
        return None
    progress = Progress()
    try:
        mail = _sealed(attempt, outbox, clock)
        if mail is None:
            return None
        outbox.connections.transmit(mail, lambda: fence(attempt, now=clock()), progress)
    except BaseException:
        # An interrupt tore it out: by the phase it had reached, the outcome is certain or ambiguous.
        _conclude(attempt, progress, outbox, now=clock())
        raise
    return _conclude(attempt, progress, outbox, now=clock())


def _sealed(attempt: Attempt, outbox: Outbox, clock: Callable[[], datetime]) -> Mail | None:
    """Seal the mail; a mistake of ours in its content costs this digest only, and is seen."""
    try:
        return seal(attempt, outbox.letterhead, now=clock(), limits=outbox.limits)
    except (OperationalError, InterfaceError):  # the database is away: that is not this digest's fault
        raise
    except Exception as error:
        logger.exception("digest %s attempt %s: cannot be composed", attempt.digest_id, attempt.number)
        reason = f"message: cannot be composed: {type(error).__name__}"
        end(attempt, DigestStatus.FAILED, reason, now=clock())
        return None


def _conclude(attempt: Attempt, progress: Progress, outbox: Outbox, *, now: datetime) -> Verdict:
    """Record the outcome, and if the database is away just then, wait for it: what is lost is known to nobody."""

    def record() -> Verdict:
        verdict = in_context(outbox.breaker.sender, classify(progress.outcome), now=now)
        conclude(attempt, verdict, now=now, limits=outbox.limits)
        return verdict

    verdict = persistently(record, patience=outbox.limits.answer_patience)
    if outbox.timed:
        for phase, seconds in progress.seconds.items():
            outbox.timed(seconds, phase)
    logger.info(
        "digest %s attempt %s: %s (%s)", attempt.digest_id, attempt.number, verdict.kind, verdict.reason
    )
    return verdict
