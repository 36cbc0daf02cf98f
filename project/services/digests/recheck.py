"""May this still be mailed? Asked when a digest is sealed, before every attempt, of the tables as they are now.

Between an event and its mail people leave, change their preferences, read their inbox and delete issues. The
first answer that says no is stored with the digest or the line, so that it can be explained.
"""

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from project.models import IssueActivity, User, UserNotificationPreference
from project.services.digests.context import Context
from project.services.digests.suppression import ADDRESS_SUPPRESSED, is_suppressed


class Suppression(StrEnum):
    """Why something is not mailed, although nothing failed."""

    RECEIVER_INACTIVE = "receiver_inactive"
    NO_ADDRESS = "no_address"
    SUPPRESSED_ADDRESS = ADDRESS_SUPPRESSED
    ISSUE_GONE = "issue_gone"
    NO_ACCESS = "no_access"
    ISSUE_DELETED = "issue_deleted"
    READ = "read"
    NOTHING_LEFT = "nothing_left"


class Preference(StrEnum):
    """The flag of a person's preferences that decides a line, and no other line."""

    PROPERTY_CHANGE = "property_change"
    STATE_CHANGE = "state_change"
    COMMENT = "comment"
    MENTION = "mention"
    ISSUE_COMPLETED = "issue_completed"

    @property
    def off(self) -> str:
        """The reason stored with a line that this flag keeps from being mailed."""
        return f"preference_off:{self}"


def recheck(context: Context, *, now: datetime) -> Suppression | None:
    """Return why the whole digest must not be mailed; the order of the questions is part of the answer."""
    issue = context.issue
    if refusal := _receiver_refusal(context.receiver, now):
        return refusal
    if issue is None:
        return Suppression.ISSUE_GONE
    if not context.may_see:
        return Suppression.NO_ACCESS
    if issue.deleted_at is not None:
        return Suppression.ISSUE_DELETED
    return None


def _receiver_refusal(receiver: User, now: datetime) -> Suppression | None:
    if not receiver.is_active or receiver.is_bot:
        return Suppression.RECEIVER_INACTIVE
    if not receiver.email:
        return Suppression.NO_ADDRESS
    if is_suppressed(receiver.email, now=now):
        return Suppression.SUPPRESSED_ADDRESS
    return None


def left_out(context: Context) -> dict[UUID, str]:
    """Return the log rows that must not be mailed, each with its reason, when the others may be."""
    return {
        context.logs[activity.id].id: reason
        for activity in context.activities
        if activity.id in context.logs and (reason := _line_reason(context, activity))
    }


def _line_reason(context: Context, activity: IssueActivity) -> str:
    flag = deciding_flag(context, activity)
    if not wants(context.preference, flag):
        return flag.off
    return Suppression.READ if activity.id in context.read else ""


def deciding_flag(context: Context, activity: IssueActivity) -> Preference:
    """Name the one preference that decides about the line of this activity."""
    data = context.logs[activity.id].data or {}
    if (data.get("issue_activity") or {}).get("field") == "mention":
        return Preference.MENTION
    if activity.field == "comment":
        return Preference.COMMENT
    if activity.field == "state":
        done = activity.new_identifier in context.completed_states
        return Preference.ISSUE_COMPLETED if done else Preference.STATE_CHANGE
    return Preference.PROPERTY_CHANGE


def wants(preference: UserNotificationPreference | None, flag: Preference) -> bool:
    """Whether the flag is on; without a row everything is."""
    return preference is None or bool(getattr(preference, flag))
