"""Short words for what happens on an issue, and a one-line notation for what is told of it."""

from dataclasses import replace
from typing import Any

from project.services.digests.changes import Change, Kind
from project.services.digests.items import (
    Creation,
    DescriptionEdit,
    Item,
    Note,
    SetChange,
    Unreadable,
    ValueChange,
)

ME = "me"


def happened(kind: Kind, who: str | None, **fields: Any) -> Change:
    return Change(seq=0, kind=kind, actor_id=who, own=who == ME, **fields)


def value(field: str, old: str | None, new: str | None, who: str | None = "Ann") -> Change:
    labels = {"old_label": old or "", "new_label": new or ""}
    return happened(Kind.CHANGED, who, field=field, old=old, new=new, **labels)


def plus(field: str, element: str, who: str = "Ann") -> Change:
    return value(field, None, element, who)


def minus(field: str, element: str, who: str = "Ann") -> Change:
    return value(field, element, None, who)


def comment(name: str, old: str | None, new: str | None, who: str = "Ann") -> Change:
    return happened(Kind.COMMENTED, who, field="comment", comment_id=name, old=old, new=new)


def mention(name: str | None, old: str | None, new: str | None, who: str = "Ann") -> Change:
    return happened(Kind.MENTIONED, who, field="mention", comment_id=name, old=old, new=new)


def created(who: str = "Ann") -> Change:
    return happened(Kind.CREATED, who)


def deleted(who: str = "Ann") -> Change:
    return happened(Kind.DELETED, who, field="issue")


def read() -> Change:
    return happened(Kind.READ, ME)


def in_sequence(*changes: Change) -> list[Change]:
    """Number the changes as the issue's activities."""
    return [replace(change, seq=n, activity_id=f"a{n:03}") for n, change in enumerate(changes, 1)]


def brief(item: Item) -> str:
    """Tell an item like `state A>B by Ann`, `labels +ui -bug by Ann Bob`, `comment c1* by Ann` (* edited)."""
    by = " ".join(actor or "?" for actor in item.origin.actors)
    match item:
        case Note(mention=is_mention, comment_id=where, edited=edited):
            return f"{'mention' if is_mention else 'comment'} {where or 'description'}{'*' * edited} by {by}"
        case ValueChange(field=field, old=old, new=new):
            return f"{field} {old or '-'}>{new or '-'} by {by}"
        case SetChange(field=field, added=added, removed=removed):
            names = [*(f"+{name}" for name in added), *(f"-{name}" for name in removed)]
            return " ".join([field, *names, "by", by])
        case DescriptionEdit(count=count):
            return f"description x{count} by {by}"
        case Creation(properties=properties):
            return " | ".join([f"created by {by}", *map(brief, properties)])
        case Unreadable():
            return f"unreadable by {by}"
    raise AssertionError(item)
