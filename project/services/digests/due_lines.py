"""Finds the lines that are due and locks them, in one statement.

Two claims at the same moment share the work and never a line. Three locks see to that, each for a split of its own:

* One stacker at a time looks after a person's issues of a workspace. Otherwise two could each find a part of what
  belongs into one roll-up. This lock is on a name, and not on a row: which of a person's lines is the oldest can
  change while a stacker looks.
* The oldest line of a group is its anchor, and only who holds the anchor's row lock may take the group. A stacker
  that looked before another one committed finds the anchor gone, and leaves what came later for the next digest.
* Each line is locked itself.

None of them is waited for.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db import connection

from project.limits import Limits
from project.services.digests.windows import Pace

# Rows are found by the arrays of ids that the first step collects, and not by joining it again: a planner that
# knows nothing of a sudden backlog yet would scan all of it once per group. What waits is grouped on its own, so
# that its own index is used, which is as small as the backlog. What was mailed of late is found by its end, which
# never comes before its last attempt; what is on its way counts as mailed just now.
_LOCK_DUE_LINES = """
WITH waiting AS MATERIALIZED (
    SELECT receiver_id, entity_identifier AS about,
        array_agg(id ORDER BY created_at, id) AS ids,
        min(created_at) AS first,
        max(created_at) AS last,
        min(created_at) FILTER (WHERE entity_name = 'export' OR data #>> '{issue_activity,field}' = 'mention')
            AS mention
    FROM email_notification_logs
    WHERE processed_at IS NULL AND deleted_at IS NULL
    GROUP BY receiver_id, entity_identifier
),
paces AS (
    SELECT * FROM unnest(
        %(receivers)s::uuid[], %(quiet_since)s::timestamptz[], %(oldest)s::timestamptz[],
        %(mentioned)s::timestamptz[], %(mailed_since)s::timestamptz[], %(apart)s::int[]
    ) AS pace(receiver_id, quiet_since, oldest, mentioned, mailed_since, apart)
),
ordinary AS MATERIALIZED (
    SELECT id, receiver_id, issue_id, kind,
        -- Behind the fence it has left, whoever may be waiting for the answer.
        CASE WHEN status = 'fenced' THEN started_at ELSE %(now)s::timestamptz END AS at
    FROM email_digests
    WHERE NOT urgent AND status IN ('waiting', 'sending', 'fenced')
    UNION ALL
    SELECT id, receiver_id, issue_id, kind, GREATEST(created_at, due_at, started_at)
    FROM email_digests
    WHERE NOT urgent AND status IN ('sent', 'sent_assumed', 'held', 'failed', 'expired')
        AND ended_at > %(usual_mailed_since)s
),
mailed AS (
    SELECT receiver_id, about, max(at) AS at
    FROM (
        SELECT receiver_id, issue_id AS about, at FROM ordinary WHERE kind = 'issue'
        UNION ALL
        SELECT ordinary.receiver_id, log.entity_identifier, ordinary.at
        FROM ordinary
        JOIN email_digest_lines AS line ON line.digest_id = ordinary.id
        JOIN email_notification_logs AS log ON log.id = line.log_id
        WHERE kind = 'rollup'
    ) AS told
    GROUP BY receiver_id, about
),
due AS MATERIALIZED (
    SELECT receiver_id, waiting.ids, waiting.first,
        COALESCE(issues.workspace_id, %(nowhere)s) AS workspace_id,
        COALESCE(mention <= COALESCE(mentioned, %(usual_mentioned)s), false) AS urgent,
        COALESCE(apart, %(usual_apart)s) AS apart
    FROM waiting
    LEFT JOIN paces USING (receiver_id)
    LEFT JOIN mailed USING (receiver_id, about)
    LEFT JOIN issues ON issues.id = about
    WHERE mention <= COALESCE(mentioned, %(usual_mentioned)s)
        OR (last <= COALESCE(quiet_since, %(usual_quiet_since)s) OR first <= COALESCE(oldest, %(usual_oldest)s))
            AND COALESCE(mailed.at <= COALESCE(mailed_since, %(usual_mailed_since)s), true)
),
families AS (
    SELECT receiver_id, workspace_id, urgent, min(first) AS first,
        CASE
            WHEN count(*) <= CASE WHEN urgent THEN %(usual_apart)s ELSE min(apart) END THEN count(*)
            WHEN workspace_id = %(nowhere)s THEN count(*)
            ELSE 1
        END AS digests
    FROM due
    GROUP BY receiver_id, workspace_id, urgent
),
batch AS MATERIALIZED (
    SELECT receiver_id, workspace_id, urgent
    FROM (
        SELECT *, sum(digests) OVER (ORDER BY first, receiver_id, workspace_id, urgent) - digests AS before
        FROM families
    ) AS queue
    WHERE before < %(batch)s
),
looked_after AS MATERIALIZED (
    SELECT * FROM batch
    WHERE pg_try_advisory_xact_lock(hashtextextended(receiver_id::text || workspace_id::text, 0))
),
taken AS MATERIALIZED (
    SELECT ids FROM due JOIN looked_after USING (receiver_id, workspace_id, urgent)
),
anchored AS MATERIALIZED (
    SELECT log.id
    FROM email_notification_logs AS log
    WHERE log.id = ANY(ARRAY(SELECT ids[1] FROM taken)) AND log.processed_at IS NULL
    FOR UPDATE SKIP LOCKED
)
SELECT log.id, log.receiver_id, log.entity_identifier, log.created_at, issue.id, issue.workspace_id,
    log.entity_name = 'export', log.data #>> '{issue_activity,field}' = 'mention'
FROM email_notification_logs AS log
LEFT JOIN issues AS issue ON issue.id = log.entity_identifier
WHERE log.id = ANY(ARRAY(SELECT unnest(taken.ids) FROM taken JOIN anchored ON anchored.id = taken.ids[1]))
    AND log.processed_at IS NULL
FOR UPDATE OF log SKIP LOCKED
"""

_NOWHERE = UUID(int=0)  # stands for the workspace of what is about no issue, or none that is there any more


class Line(NamedTuple):
    """A locked log row.

    Attributes:
        about: the issue or the export; None if the row names none.
        issue_id: None if the issue is gone, and if it is about an export.
        workspace_id: of the issue.
    """

    log_id: UUID
    receiver_id: UUID
    about: UUID | None
    created_at: datetime
    issue_id: UUID | None
    workspace_id: UUID | None
    export: bool
    mention: bool | None

    @property
    def urgent(self) -> bool:
        """Whether it waits for nothing else."""
        return self.export or bool(self.mention)


def lock_due_lines(paces: Mapping[UUID, Pace], usual: Pace, *, now: datetime, limits: Limits) -> list[Line]:
    """Lock the lines of the groups that are due, the oldest first, until they make `limits.claim_batch` digests.

    A few more are locked where they belong together: groups come whole, and so do the groups that a person is told
    of in one mail.

    Args:
        paces: Of those receivers who want their mail at a pace of their own.
        usual: Of all others.
        now: The moment of both.
        limits: The size of a batch.
    """
    parameters = {
        "now": now,
        "nowhere": _NOWHERE,
        "batch": limits.claim_batch,
        "receivers": list(paces),
        **{name: [getattr(pace, name) for pace in paces.values()] for name in Pace._fields},
        **{f"usual_{name}": getattr(usual, name) for name in Pace._fields},
    }
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_DUE_LINES, parameters)
        return [Line(*row) for row in cursor.fetchall()]
