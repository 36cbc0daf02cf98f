"""Conservation, as SQL: nothing vanished, nothing is counted twice, nothing contradicts itself.

Each check selects the ids of the rows that break one sentence. All of them use an index or one pass over a
table, so a million rows take seconds.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from project.limits import Limits

SAMPLE = 5


@dataclass(frozen=True)
class Check:
    """One sentence that must hold, and the query for the ids of the rows that break it."""

    name: str
    sentence: str
    sql: str


@dataclass(frozen=True)
class Finding:
    """How many rows break a check, and a few of them."""

    check: Check
    count: int
    sample: list[UUID]


BROKEN = (
    Check(
        "claimed_line_has_digest",
        "a claimed log row is in exactly one digest",
        "SELECT log.id FROM email_notification_logs AS log"
        " LEFT JOIN email_digest_lines AS line ON line.log_id = log.id"
        " WHERE log.processed_at IS NOT NULL AND line.log_id IS NULL",
    ),
    Check(
        "digest_line_is_claimed",
        "a log row in a digest is marked as claimed",
        "SELECT log.id FROM email_digest_lines AS line JOIN email_notification_logs AS log"
        " ON log.id = line.log_id WHERE log.processed_at IS NULL",
    ),
    Check(
        "digest_has_lines",
        "a digest covers at least one log row",
        "SELECT digest.id FROM email_digests AS digest WHERE NOT EXISTS"
        " (SELECT 1 FROM email_digest_lines AS line WHERE line.digest_id = digest.id)",
    ),
    Check(
        "digest_lines_share_receiver",
        "a digest covers its own receiver's log rows only",
        "SELECT log.id FROM email_digest_lines AS line"
        " JOIN email_notification_logs AS log ON log.id = line.log_id"
        " JOIN email_digests AS digest ON digest.id = line.digest_id"
        " WHERE log.receiver_id <> digest.receiver_id",
    ),
    Check(
        "sent_line_has_sent_mail",
        "a log row is marked as sent if and only if its mail was sent with it",
        "SELECT log.id FROM email_notification_logs AS log"
        " LEFT JOIN email_digest_lines AS line ON line.log_id = log.id"
        " LEFT JOIN email_digests AS digest ON digest.id = line.digest_id"
        " WHERE (log.sent_at IS NOT NULL)"
        " <> coalesce(digest.status IN ('sent', 'sent_assumed') AND line.suppressed = '', false)",
    ),
    Check(
        "one_line_per_cause",
        "an activity leads to one log row a receiver",
        "SELECT (array_agg(id))[1] FROM email_notification_logs"
        " WHERE data #>> '{issue_activity,id}' IS NOT NULL"
        " GROUP BY receiver_id, data #>> '{issue_activity,id}' HAVING count(*) > 1",
    ),
    Check(
        "one_notification_per_cause",
        "an activity leads to one notification a receiver",
        "SELECT (array_agg(id))[1] FROM notifications WHERE entity_name = 'issue'"
        " AND data #>> '{issue_activity,id}' IS NOT NULL"
        " GROUP BY receiver_id, data #>> '{issue_activity,id}' HAVING count(*) > 1",
    ),
)

LATE = (
    Check(
        "event_fans_out_in_time",
        "an event is fanned out, or failed visibly, in time",
        "SELECT id FROM issue_events WHERE status = 'pending' AND enqueued_at < %(late)s",
    ),
    Check(
        "line_is_claimed_in_time",
        "a log row is claimed once its window has passed",
        "SELECT id FROM email_notification_logs"
        " WHERE processed_at IS NULL AND deleted_at IS NULL AND created_at < %(unclaimed)s",
    ),
    Check(
        "digest_ends_in_time",
        "a digest that is due makes progress",
        "SELECT id FROM email_digests WHERE status = 'waiting' AND due_at < %(late)s"
        " OR status = 'sending' AND started_at < %(late)s OR status = 'fenced' AND dot_at < %(unanswered)s",
    ),
)


def verify(*, now: datetime, limits: Limits) -> list[Finding]:
    """Run every check.

    Returns:
        What was found broken (a guarantee does not hold) or late (a sweep should have moved it by now: look at
        worker and scheduler). Empty means that all is well.
    """
    late = now - 2 * limits.overdue - limits.recovery_budget
    moments = {
        "late": late,
        "unclaimed": late - limits.window_cap,
        "unanswered": late - limits.fence_patience,
    }
    findings = (_run(check, moments) for check in (*BROKEN, *LATE))
    return [finding for finding in findings if finding.count]


def _run(check: Check, moments: dict[str, datetime]) -> Finding:
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH found(id) AS MATERIALIZED ({check.sql})"  # noqa: S608 (constant text of this module)
            f" SELECT count(*), (array_agg(id))[1:{SAMPLE}] FROM found",
            moments,
        )
        count, sample = cursor.fetchone()
    return Finding(check, count, sample or [])
