"""How long it took from the writing of a line to the mail with it."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import connection

_OLDEST = """
SELECT min(log.created_at), bool_or(digest.urgent)
FROM email_digests AS digest
JOIN email_digest_lines AS line ON line.digest_id = digest.id AND line.suppressed = ''
JOIN email_notification_logs AS log ON log.id = line.log_id
WHERE digest.id = %s
"""


class Delay(NamedTuple):
    """The age in seconds of the oldest line in a digest, and whether somebody is mentioned in it."""

    seconds: float
    urgent: bool


def delay(digest_id: UUID, *, now: datetime) -> Delay | None:
    """Return how old a digest's news is; None if none of its lines is left."""
    with connection.cursor() as cursor:
        cursor.execute(_OLDEST, [digest_id])
        oldest, urgent = cursor.fetchone()
    return Delay(max(0.0, (now - oldest).total_seconds()), urgent) if oldest else None
