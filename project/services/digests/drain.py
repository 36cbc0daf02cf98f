"""After a stop, mail begins at one a second and doubles its rate in every `breaker_ramp`.

Half of it are digests that waited, the other half those that the stacker makes of the lines that gathered.
"""

from datetime import datetime, timedelta

from django.db import connection
from django.db.models import QuerySet

from project.limits import Limits
from project.models import DigestStatus, EmailDigest

HALF = 0.5  # mails a second, at the beginning
DOUBLINGS = 30  # after so many the rate is as good as unlimited

_RELEASE = """
UPDATE email_digests AS digest
SET due_at = %(now)s
    + interval '1 second' * %(ramp)s * ln(1 + waiting.place * ln(2) / (%(half)s * %(ramp)s)) / ln(2)
FROM (
    SELECT id, row_number() OVER (ORDER BY due_at, id) - 1 AS place
    FROM email_digests WHERE status = 'waiting' AND awaits_breaker
) AS waiting
WHERE digest.id = waiting.id AND digest.status = 'waiting' AND digest.awaits_breaker
"""


def waiting() -> QuerySet[EmailDigest]:
    """Digests that were put off because mail was stopped, and have not been tried since."""
    return EmailDigest.objects.filter(status=DigestStatus.WAITING, awaits_breaker=True)


def release(*, now: datetime, limits: Limits) -> None:
    """Let the digests that wait become due one after the other, ever faster."""
    with connection.cursor() as cursor:
        cursor.execute(_RELEASE, {"now": now, "ramp": limits.breaker_ramp.total_seconds(), "half": HALF})


def room(elapsed: timedelta, *, limits: Limits) -> int:
    """Return how many digests the stacker may make at this tick, `elapsed` after the stop."""
    doublings = min(elapsed / limits.breaker_ramp, DOUBLINGS)
    at_this_tick = HALF * 2**doublings * limits.tick.total_seconds()
    return max(1, min(limits.claim_rounds * limits.claim_batch, int(at_this_tick)))


def lasts(limits: Limits) -> timedelta:
    """Return how long after a stop mail is held back; then it flows as fast as it can."""
    return DOUBLINGS * limits.breaker_ramp
