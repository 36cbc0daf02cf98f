"""Conservation, as SQL: nothing vanished, nothing is counted twice, nothing contradicts itself.

Each check selects the ids of the rows that break one sentence. All of them use an index or one pass over a
table, so a million rows take seconds.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection

from project.limits import Limits
from project.services.maintenance import verify_exports, verify_mail
from project.services.maintenance.check import Check

SAMPLE = 5
EXPIRY = timedelta(hours=1)  # archives are looked for every ten minutes


@dataclass(frozen=True)
class Finding:
    """How many rows break a check, and a few of them."""

    check: Check
    count: int
    sample: list[UUID]


BROKEN = (*verify_mail.BROKEN, *verify_exports.BROKEN)
LATE = (*verify_mail.LATE, *verify_exports.LATE)


def verify(*, now: datetime, limits: Limits) -> list[Finding]:
    """Run every check.

    Returns:
        What was found broken (a guarantee does not hold) or late (a sweep should have moved it by now: look at
        worker and scheduler). Empty means that all is well.
    """
    late = now - limits.patience
    moments = {
        "late": late,
        "unclaimed": late - limits.line_wait,
        "unanswered": late - limits.fence_patience,
        "kept": late - EXPIRY,
        "kept_whole": now - min(limits.hard_delete_after, limits.mail_kept, limits.notifications_kept),
    }
    findings = (_run(check, moments) for check in (*BROKEN, *LATE))
    return [finding for finding in findings if finding.count]


def _run(check: Check, moments: dict[str, datetime]) -> Finding:
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH found(id) AS MATERIALIZED ({check.sql})"  # noqa: S608 (constant text)
            f" SELECT count(*), (array_agg(id))[1:{SAMPLE}] FROM found",
            moments,
        )
        count, sample = cursor.fetchone()
    return Finding(check, count, sample or [])
