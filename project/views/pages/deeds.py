"""What somebody did to an issue, in words, from one activity: "changed the state:" "Todo → Done".

The words for values are those of the mails.
"""

from collections.abc import Mapping
from typing import NamedTuple

from project.services.digests.changes import Change, Kind, read_activity
from project.services.digests.fields import field_named
from project.services.digests.items import Origin, SetChange, ValueChange
from project.services.digests.phrases import Phrase, Span, phrase_of, subject_of
from project.services.digests.wording import value_in_words

_ORIGIN = Origin(actors=(None,), seq=0, at=None)

#: What an issue was made to be to another.
_RELATED = {
    "blocked_by": "blocked by",
    "blocking": "blocking",
    "relates_to": "related to",
    "duplicate": "a duplicate of",
    "start_before": "starting before",
    "start_after": "starting after",
    "finish_before": "finishing before",
    "finish_after": "finishing after",
    "implemented_by": "implemented by",
    "implements": "implementing",
}

#: What is said before the name of something that came, and that went.
_CAME_AND_WENT = {
    "link": ("linked", "removed the link"),
    "attachment": ("attached", "removed the attachment"),
    "sub_issues": ("added the sub-issue", "removed the sub-issue"),
    "cycles": ("added this to the cycle", "removed this from the cycle"),
    "modules": ("added this to the module", "removed this from the module"),
    **{
        field: (f"marked this as {words}", f"took back that this is {words}")
        for field, words in _RELATED.items()
    },
}


class Deed(NamedTuple):
    """What was done, and from what to what; the second may be empty."""

    did: str
    phrase: Phrase = ()


def deed_of(activity: Mapping[str, object]) -> Deed:
    """Put an activity, or the `issue_activity` of a notification, in words. Never raises."""
    change = read_activity(activity, seq=0, actor_id=None)
    match change.kind:
        case Kind.CREATED:
            return Deed("created the issue")
        case Kind.DELETED:
            return Deed("deleted the issue")
        case Kind.COMMENTED:
            return Deed(_commented(change))
        case Kind.CHANGED:
            return _changed(change)
    return Deed("changed the issue")


def _commented(change: Change) -> str:
    if change.new is None:
        return "deleted a comment"
    return "commented" if change.old is None else "edited a comment"


def _changed(change: Change) -> Deed:
    if change.field == "description":
        return Deed("edited the description")
    if change.field == "archived_at":
        did = "restored the issue" if change.new is None else "archived the issue"
        return Deed(f"{did} {change.automatic}".rstrip())
    if change.field in _CAME_AND_WENT and (change.old is None) != (change.new is None):
        return _came_or_went(change)
    if field_named(change.field).many:
        added = () if change.new is None else (change.new_label,)
        removed = () if change.old is None else (change.old_label,)
        item: SetChange | ValueChange = SetChange(
            origin=_ORIGIN, field=change.field, added=added, removed=removed
        )
    else:
        old = None if change.old is None else change.old_label
        new = None if change.new is None else change.new_label
        item = ValueChange(origin=_ORIGIN, field=change.field, old=old, new=new, why=change.automatic)
    return Deed(f"changed the {subject_of(item).lower()}:", phrase_of(item))


def _came_or_went(change: Change) -> Deed:
    came, went = _CAME_AND_WENT[change.field]
    if change.old is None:
        return Deed(came, (Span(value_in_words(change.field, change.new_label), "new"),))
    return Deed(went, (Span(value_in_words(change.field, change.old_label), "old"),))
