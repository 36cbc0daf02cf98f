"""The last hours in slots: how many digests ended in each, and how old the news was that was mailed."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import connection

SLOTS = 60
MEASURED = 5000  # mails, the newest ones, whose delay is looked up: each costs a look at its lines

_ENDS = """
SELECT floor(extract(epoch FROM ended_at - %(since)s) / %(slot)s)::int AS slot, status, count(*)
FROM email_digests
WHERE status IN ('sent', 'sent_assumed', 'suppressed', 'failed', 'expired', 'held')
    AND ended_at >= %(since)s AND ended_at < %(until)s
GROUP BY slot, status
"""
_DELAYS = """
WITH newest AS (
    SELECT id, ended_at FROM email_digests
    WHERE status = 'sent' AND ended_at >= %(since)s AND ended_at < %(until)s
    ORDER BY ended_at DESC LIMIT %(measured)s
), news AS (
    SELECT newest.ended_at, min(log.created_at) AS made_at
    FROM newest
    JOIN email_digest_lines AS line ON line.digest_id = newest.id AND line.suppressed = ''
    JOIN email_notification_logs AS log ON log.id = line.log_id
    GROUP BY newest.id, newest.ended_at
), delays AS (
    SELECT floor(extract(epoch FROM ended_at - %(since)s) / %(slot)s)::int AS slot,
        extract(epoch FROM ended_at - made_at)::float8 AS seconds
    FROM news
)
SELECT slot, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds),
    percentile_cont(0.95) WITHIN GROUP (ORDER BY seconds)
FROM delays GROUP BY slot
"""


@dataclass(frozen=True)
class Slot:
    """One stretch of time.

    Attributes:
        ends: How many digests ended in it, by status.
        median, slow: The delay in seconds that half of the mails, and 95 in 100, did not exceed; None if none was
            sent, or none measured.
    """

    begins: datetime
    ends: dict[str, int] = field(default_factory=dict)
    median: float | None = None
    slow: float | None = None


def history(*, until: datetime, length: timedelta) -> list[Slot]:
    """Tell what happened within `length` before `until`, in `SLOTS` slots, the oldest first."""
    slot = length / SLOTS
    since = until - length
    asked: dict[str, datetime | float] = {
        "since": since,
        "until": until,
        "slot": slot.total_seconds(),
        "measured": MEASURED,
    }
    ends: defaultdict[int, dict[str, int]] = defaultdict(dict)
    with connection.cursor() as cursor:
        cursor.execute(_ENDS, asked)
        for place, status, number in cursor.fetchall():
            ends[place][status] = number
        cursor.execute(_DELAYS, asked)
        delays = {place: (median, slow) for place, median, slow in cursor.fetchall()}
    return [
        Slot(since + place * slot, ends[place], *delays.get(place, (None, None))) for place in range(SLOTS)
    ]
