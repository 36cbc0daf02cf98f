"""How digests ended lately, and how many a time slot saw."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import connection

WINDOW = timedelta(hours=1)
REASONS = 50  # kinds of reasons that are told apart; there are some twenty

_OUTCOMES = """
SELECT status, split_part(reason, ':', 1) AS why, count(*) FROM email_digests
WHERE status IN ('sent', 'sent_assumed', 'suppressed', 'failed', 'expired', 'held')
    AND ended_at > %(since)s AND ended_at <= %(now)s
GROUP BY status, why ORDER BY count(*) DESC, status, why LIMIT %(reasons)s
"""


class Outcome(NamedTuple):
    """How many digests ended in this way. `reason` is cut at its first colon, which leaves its kind."""

    status: str
    reason: str
    number: int


def outcomes(*, now: datetime) -> list[Outcome]:
    """Tell how digests ended within the last `WINDOW`, the most frequent first."""
    with connection.cursor() as cursor:
        cursor.execute(_OUTCOMES, {"since": now - WINDOW, "now": now, "reasons": REASONS})
        return [Outcome(*row) for row in cursor.fetchall()]
