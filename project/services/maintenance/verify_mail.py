"""What must hold of events, notifications, log rows and digests."""

from project.models import LONGEST_DAY
from project.services.maintenance.check import Check

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
        "rollup_has_one_workspace",
        "a roll-up covers log rows of its own workspace only",
        "SELECT log.id FROM email_digests AS digest"
        " JOIN email_digest_lines AS line ON line.digest_id = digest.id"
        " JOIN email_notification_logs AS log ON log.id = line.log_id"
        " JOIN issues AS issue ON issue.id = log.entity_identifier"
        " WHERE digest.kind = 'rollup' AND issue.workspace_id IS DISTINCT FROM digest.workspace_id",
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
        # The daily mail and the end of quiet hours are at most a day away.
        "SELECT log.id FROM email_notification_logs AS log"  # noqa: S608 (a constant)
        " LEFT JOIN mail_schedules AS wish ON wish.user_id = log.receiver_id"
        " WHERE log.processed_at IS NULL AND log.deleted_at IS NULL"
        f" AND log.created_at < %(unclaimed)s - interval '{LONGEST_DAY.total_seconds():.0f} seconds'"
        " * ((coalesce(wish.mode, '') = 'daily')::int + (wish.quiet_from IS NOT NULL)::int)"
        # The gap begins with the mail before, which may be on its way for long.
        " AND NOT EXISTS (SELECT FROM email_digests AS digest"
        " JOIN email_digest_lines AS line ON line.digest_id = digest.id"
        " JOIN email_notification_logs AS told ON told.id = line.log_id"
        " WHERE digest.receiver_id = log.receiver_id AND told.entity_identifier = log.entity_identifier"
        " AND NOT digest.urgent AND (digest.ended_at IS NULL OR digest.ended_at > %(unclaimed)s))",
        awaits_mail=True,
    ),
    Check(
        "digest_ends_in_time",
        "a digest that is due makes progress",
        "SELECT id FROM email_digests WHERE status = 'waiting' AND due_at < %(late)s"
        " OR status = 'sending' AND started_at < %(late)s OR status = 'fenced' AND dot_at < %(unanswered)s",
    ),
)
