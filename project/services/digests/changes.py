"""What happened to an issue, one record per activity: the input of the collapse.

The raw material is the `issue_activity` object of a mail line, or the same columns of an `issue_activities`
row. Missing values come as null, as an empty string or as the word "None", the traces of `str()`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from project.services.digests.fields import field_named


class Kind(StrEnum):
    """What a change is. READ is the receiver's read marker; UNREADABLE a row that nothing can be made of."""

    CREATED = "created"
    CHANGED = "changed"
    COMMENTED = "commented"
    MENTIONED = "mentioned"
    DELETED = "deleted"
    READ = "read"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, kw_only=True)
class Change:
    """One activity on one issue, as one receiver is concerned by it.

    `seq` orders the changes of an issue; clocks do not. `own` marks what the receiver did: it is never told,
    but it says what the receiver knows. `old` and `new` are identities (None: there was or is nothing), and
    for texts the HTML itself; the labels are the words for them at that time. A mention without `comment_id`
    stands in the description. `automatic` says why a rule of the project did it; empty if somebody did.
    `bulk_id` names the act on many issues that it was a part of.
    """

    seq: int
    kind: Kind
    activity_id: str = ""
    actor_id: str | None = None
    own: bool = False
    field: str = ""
    old: str | None = None
    new: str | None = None
    old_label: str = ""
    new_label: str = ""
    comment_id: str | None = None
    occurred_at: datetime | None = None
    automatic: str = ""
    bulk_id: str | None = None


def read_activity(
    activity: Mapping[str, object], *, seq: int, actor_id: str | None, own: bool = False
) -> Change:
    """Turn an `issue_activity` object, or a row with the same keys, into a change. Never raises."""
    field, verb, activity_id = (_text(activity.get(key)) for key in ("field", "verb", "id"))
    comment_id = _text(activity.get("new_identifier")) or None
    kind = _kind(field, verb, comment_id)
    old, old_label = _side(activity, "old", field)
    new, new_label = _side(activity, "new", field)
    if kind in {Kind.COMMENTED, Kind.MENTIONED}:
        old, new = old_label or None, new_label or None
    if verb == "deleted" and field_named(field).many and old is None:
        old = activity_id  # the deletion of an attachment names no value
    return Change(
        seq=seq,
        kind=kind,
        activity_id=activity_id,
        actor_id=actor_id,
        own=own,
        field=field,
        old=None if verb == "created" else old,
        new=None if verb == "deleted" else new,
        old_label=old_label,
        new_label=new_label,
        comment_id=comment_id,
        occurred_at=_time(activity.get("activity_time")),
        automatic=_text(activity.get("automatic")),
        bulk_id=_text(activity.get("bulk_id")) or None,
    )


def _kind(field: str, verb: str, comment_id: str | None) -> Kind:
    if field == "":
        return Kind.CREATED if verb == "created" else Kind.UNREADABLE
    if field == "comment" and verb != "deleted" and comment_id is None:
        return Kind.UNREADABLE
    if (field, verb) == ("issue", "deleted"):
        return Kind.DELETED
    return {"comment": Kind.COMMENTED, "mention": Kind.MENTIONED}.get(field, Kind.CHANGED)


def _side(activity: Mapping[str, object], side: str, field: str) -> tuple[str | None, str]:
    """The identity and the label of the old or the new value."""
    label = _label(activity.get(f"{side}_value"), field)
    identifier = _text(activity.get(f"{side}_identifier"))
    if field_named(field).by_value or not identifier:
        return label or None, label
    return identifier, label


def _label(value: object, field: str) -> str:
    if field == "name":
        return "" if value is None else str(value)  # a title may be the word "None"
    label = _text(value)
    match field, label:
        case "priority", "none":
            return ""
        case "archived_at", "restore":
            return ""
        case "archived_at", "archive" | "manual_archive":
            return "archived"
    return label


def _text(value: object) -> str:
    text = "" if value is None else str(value)
    return "" if text == "None" else text


def _time(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return value
    try:
        return datetime.fromisoformat(_text(value))
    except ValueError:
        return None
