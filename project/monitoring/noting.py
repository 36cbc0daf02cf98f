"""Notes what became of mails and exports, in the process that made them."""

import logging
from datetime import datetime
from uuid import UUID

from django.db import DatabaseError

from project.monitoring.measures import (
    EXPORT_BYTES,
    EXPORT_ROWS,
    EXPORT_SECONDS,
    MAIL_ATTEMPTS,
    MAIL_DELAY,
    NOT_URGENT,
    URGENT,
)
from project.queue.metrics import Counted, count
from project.services.digests.replies import Kind, Verdict
from project.services.exports.run import Made
from project.services.operations.delay import delay

logger = logging.getLogger(__name__)


def note_mail(digest_id: UUID, verdict: Verdict | None, *, now: datetime) -> None:
    """Count an attempt by its verdict (None: the server was not asked), and how old the news was that it sent.

    A figure that cannot be read fails no job: the mail is out.
    """
    if verdict is None:
        return
    MAIL_ATTEMPTS.add(verdict.kind)
    if verdict.kind is Kind.REFUSED_BY_FENCE:
        count(Counted.FENCE_REFUSED)
    if verdict.kind is Kind.SENT:
        _note_delay(digest_id, now)


def note_export(made: Made | None) -> None:
    """Count an archive that was published, or one that came too late; None: there is none."""
    if made is None:
        return
    if not made.published:
        count(Counted.FENCE_REFUSED)
        return
    EXPORT_ROWS.add(number=made.rows)
    EXPORT_BYTES.add(number=made.size)
    EXPORT_SECONDS.add(made.seconds)


def _note_delay(digest_id: UUID, now: datetime) -> None:
    try:
        told = delay(digest_id, now=now)
    except DatabaseError as error:
        logger.warning("the delay of digest %s is not counted: %s", digest_id, error)
        return
    if told:
        MAIL_DELAY.add(told.seconds, URGENT if told.urgent else NOT_URGENT)
