"""The claim: due lines become digests, in one transaction, before anything is sent.

Two claims at the same moment share the work and never a line: the oldest line of a group is its anchor, and
only who holds the anchor's row lock may take the group. So a group is not split between them either.
"""

from collections import defaultdict
from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid5

from django.db import connection, transaction

from project.limits import Limits
from project.models import EmailDigest, EmailDigestLine, EmailNotificationLog, Wake

NAMESPACE = UUID("6f0c1c1e-3d1b-5b8e-9c52-5f2a4f3f7d10")

# Rows are found by the arrays of ids that the first step collects, and not by joining it again: a planner that
# knows nothing of a sudden backlog yet would scan all of it once per group.
_LOCK_DUE_LINES = """
WITH due AS MATERIALIZED (
    SELECT array_agg(id ORDER BY created_at, id) AS ids
    FROM email_notification_logs
    WHERE processed_at IS NULL AND deleted_at IS NULL
    GROUP BY receiver_id, entity_identifier
    HAVING max(created_at) <= %(quiet_since)s
        OR min(created_at) <= %(oldest)s
        OR min(created_at) FILTER (WHERE entity_name = 'export' OR data #>> '{issue_activity,field}' = 'mention')
            <= %(mentioned)s
    ORDER BY min(created_at)
    LIMIT %(batch)s
),
anchored AS MATERIALIZED (
    SELECT log.id
    FROM email_notification_logs AS log
    WHERE log.id = ANY(ARRAY(SELECT ids[1] FROM due)) AND log.processed_at IS NULL
    FOR UPDATE SKIP LOCKED
)
SELECT log.id, log.receiver_id, log.entity_identifier, issue.id, log.data #>> '{issue_activity,field}' = 'mention'
FROM email_notification_logs AS log
LEFT JOIN issues AS issue ON issue.id = log.entity_identifier
WHERE log.id = ANY(ARRAY(SELECT unnest(due.ids) FROM due JOIN anchored ON anchored.id = due.ids[1]))
  AND log.processed_at IS NULL
FOR UPDATE OF log SKIP LOCKED
"""


class Line(NamedTuple):
    """A locked log row: its id, whose it is, what it is about and whether it is a mention.

    `issue_id` is None if the issue is gone, and if the line is about an export.
    """

    log_id: UUID
    receiver_id: UUID
    about: UUID | None
    issue_id: UUID | None
    mention: bool


def digest_id(log_ids: list[UUID]) -> UUID:
    """Name a digest after the log rows it covers."""
    return uuid5(NAMESPACE, ",".join(sorted(map(str, log_ids))))


def claim(*, now: datetime, limits: Limits) -> list[Wake]:
    """Turn up to `limits.claim_batch` due groups (receiver × issue, or × export) into digests.

    A group is due when it has been quiet for `window_idle`, when its oldest line is `window_cap` old, or when
    a mention or the end of an export in it is `window_mention` old. Constant number of queries, whatever the
    batch.

    Returns:
        One wake-up per new digest; fewer than `limits.claim_batch` means that no more is due. Who sends them marks
        them as sent afterwards; until then any stacker finds them as never sent.
    """
    with transaction.atomic(durable=True):
        groups: dict[tuple[UUID, UUID | None], list[Line]] = defaultdict(list)
        for line in _lock_due_lines(now, limits):
            groups[line.receiver_id, line.about].append(line)
        digests = [_digest(lines, now) for lines in groups.values()]
        EmailDigest.objects.bulk_create(digests, batch_size=1000)
        EmailDigestLine.objects.bulk_create(
            [
                EmailDigestLine(log_id=line.log_id, digest_id=digest.id)
                for digest, lines in zip(digests, groups.values(), strict=True)
                for line in lines
            ],
            batch_size=5000,
        )
        claimed = [line.log_id for lines in groups.values() for line in lines]
        EmailNotificationLog.objects.filter(id__in=claimed).update(processed_at=now)
    return [Wake(digest.id, digest.dispatch) for digest in digests]


def _lock_due_lines(now: datetime, limits: Limits) -> list[Line]:
    with connection.cursor() as cursor:
        cursor.execute(
            _LOCK_DUE_LINES,
            {
                "quiet_since": now - limits.window_idle,
                "oldest": now - limits.window_cap,
                "mentioned": now - limits.window_mention,
                "batch": limits.claim_batch,
            },
        )
        return [Line(*row) for row in cursor.fetchall()]


def _digest(lines: list[Line], now: datetime) -> EmailDigest:
    return EmailDigest(
        id=digest_id([line.log_id for line in lines]),
        receiver_id=lines[0].receiver_id,
        issue_id=lines[0].issue_id,
        urgent=any(line.mention for line in lines),
        created_at=now,
        due_at=now,
    )
