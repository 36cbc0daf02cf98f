"""May this still be mailed? Asked when a digest is sealed, before every attempt, of the tables as they are now.

Between an event and its mail people leave, change their preferences, read their inbox and delete issues. The
first answer that says no is stored with the digest or the line, so that it can be explained.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from project.limits import Limits
from project.models import EmailNotificationLog, IssueActivity, MailMode, User, UserNotificationPreference
from project.services.digests.context import Context
from project.services.digests.export_note import ExportNote
from project.services.digests.matter import Matter
from project.services.digests.suppression import ADDRESS_SUPPRESSED, is_suppressed
from project.services.digests.windows import Due, held


class Suppression(StrEnum):
    """Why something is not mailed, although nothing failed."""

    RECEIVER_INACTIVE = "receiver_inactive"
    NO_ADDRESS = "no_address"
    SUPPRESSED_ADDRESS = ADDRESS_SUPPRESSED
    MODE_OFF = "mode_off"
    ISSUE_GONE = "issue_gone"
    NO_ACCESS = "no_access"
    ISSUE_DELETED = "issue_deleted"
    EXPORT_GONE = "export_gone"
    EXPORT_GOES_ON = "export_goes_on"
    EXPORTS_OFF = "exports_off"
    TOO_OLD = "too_old"
    MUTED = "muted"
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
    if refusal := _receiver_refusal(context.receiver, now):
        return refusal
    if context.wish.schedule.mode == MailMode.OFF:
        return Suppression.MODE_OFF
    if context.export:
        return _export_refusal(context.export)
    refusals = {_issue_refusal(matter) for matter in context.matters}
    if _lost(context):
        refusals.add(Suppression.ISSUE_GONE)
    return refusals.pop() if len(refusals) == 1 else None


def waits(context: Context, without: Mapping[UUID, str], *, now: datetime) -> Due | None:
    """Return until when, and for what, the mail that leaves out `without` must wait; None if it may go now."""
    since = min((log.created_at for log in context.logs.values()), default=now)
    urgent = context.export is not None or any(
        deciding_flag(context, matter, activity) is Preference.MENTION
        for matter in context.matters
        for activity in matter.activities
        if (log := matter.logs.get(activity.id)) and log.id not in without
    )
    return held(since, context.wish, urgent=urgent, now=now)


def _issue_refusal(matter: Matter) -> Suppression | None:
    if not matter.may_see:
        return Suppression.NO_ACCESS
    return Suppression.ISSUE_DELETED if matter.issue.deleted_at else None


def _lost(context: Context) -> list[EmailNotificationLog]:
    """Return the lines whose issue was removed for good."""
    known = {key for matter in context.matters for key in matter.logs}
    return [log for key, log in context.logs.items() if key not in known]


def _export_refusal(note: ExportNote) -> Suppression | None:
    if note.export is None:
        return Suppression.EXPORT_GONE
    if not note.member:
        return Suppression.NO_ACCESS
    if note.goes_on:
        return Suppression.EXPORT_GOES_ON
    if note.unwanted:
        return Suppression.EXPORTS_OFF
    return Suppression.READ if note.read else None


def _receiver_refusal(receiver: User, now: datetime) -> Suppression | None:
    if not receiver.is_active or receiver.is_bot:
        return Suppression.RECEIVER_INACTIVE
    if not receiver.email:
        return Suppression.NO_ADDRESS
    if is_suppressed(receiver.email, now=now):
        return Suppression.SUPPRESSED_ADDRESS
    return None


def left_out(context: Context, *, limits: Limits) -> dict[UUID, str]:
    """Return the log rows that must not be mailed, each with its reason, when the others may be."""
    if context.export:
        return {}
    reasons: dict[UUID, str] = {log.id: Suppression.ISSUE_GONE for log in _lost(context)}
    for matter in context.matters:
        if refusal := _issue_refusal(matter):
            reasons |= {log.id: refusal for log in matter.logs.values()}
        else:
            reasons |= _lines_left_out(context, matter, limits)
    return reasons


def _lines_left_out(context: Context, matter: Matter, limits: Limits) -> dict[UUID, str]:
    return {
        log.id: reason
        for activity in matter.activities
        if (log := matter.logs.get(activity.id))
        and (reason := _line_reason(context, matter, activity, limits))
    }


def _line_reason(context: Context, matter: Matter, activity: IssueActivity, limits: Limits) -> str:
    # Its age at the claim, and not now: what was put off, or is tried again by an operator, must not expire by it.
    if matter.logs[activity.id].created_at < context.digest.created_at - limits.line_ttl:
        return Suppression.TOO_OLD
    flag = deciding_flag(context, matter, activity)
    if not wants(matter.preference, flag):
        return flag.off
    if matter.muted:
        return Suppression.MUTED
    return Suppression.READ if activity.id in context.read else ""


def deciding_flag(context: Context, matter: Matter, activity: IssueActivity) -> Preference:
    """Name the one preference that decides about the line of this activity.

    To whom mentions are not mailed, a comment that mentions them is a comment like any other.
    """
    data = matter.logs[activity.id].data or {}
    mentioned = (data.get("issue_activity") or {}).get("field") == "mention"
    if mentioned and (activity.field != "comment" or wants(matter.preference, Preference.MENTION)):
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
