"""The changes that a digest tells: its lines' activities, and what the receiver knows anyway in between."""

from collections.abc import Iterator, Mapping
from uuid import UUID

from project.models import MACHINE_FIELDS, EmailNotificationLog, IssueActivity
from project.services.digests.changes import Change, read_activity
from project.services.digests.context import Context
from project.services.digests.matter import Matter
from project.services.digests.recheck import Preference, Suppression, deciding_flag
from project.services.digests.wording import AUTOMATION


def changes_of(context: Context, matter: Matter, left_out: Mapping[UUID, str]) -> list[Change]:
    """Return the changes of an issue in their order, for the collapse.

    Args:
        context: The digest as the tables stand.
        matter: The issue.
        left_out: Log rows that must not be mailed, with the reason. What was read is known, so it still counts
            as where the receiver stands; what a preference keeps away is bridged over.
    """
    return list(_changes(context, matter, left_out))


def _changes(context: Context, matter: Matter, left_out: Mapping[UUID, str]) -> Iterator[Change]:
    for seq, activity in enumerate(matter.activities):
        if activity.field in MACHINE_FIELDS:  # its line is older than the rule that such are not told
            continue
        log = matter.logs.get(activity.id)
        why_not = left_out.get(log.id, "") if log else ""
        if log and why_not not in {"", Suppression.READ}:
            continue
        known = log is None or why_not == Suppression.READ
        mention = log is not None and deciding_flag(context, matter, activity) is Preference.MENTION
        yield _change(activity, seq=seq, known=known, mention=mention, bulk_id=_bulk_id(log))


def _bulk_id(log: EmailNotificationLog | None) -> object:
    return log.data["issue_activity"].get("bulk_id") if log and log.data else None


def _change(activity: IssueActivity, *, seq: int, known: bool, mention: bool, bulk_id: object) -> Change:
    record = {
        "id": activity.id,
        "verb": activity.verb,
        "field": "mention" if mention else activity.field,
        "old_value": activity.old_value,
        "new_value": activity.new_value,
        "old_identifier": activity.old_identifier,
        "new_identifier": activity.new_identifier or activity.issue_comment_id,
        "activity_time": activity.created_at,
        "automatic": activity.automatic,
        "bulk_id": bulk_id,
    }
    actor = AUTOMATION if activity.automatic else str(activity.actor_id) if activity.actor_id else None
    return read_activity(record, seq=seq, actor_id=actor, own=known)
