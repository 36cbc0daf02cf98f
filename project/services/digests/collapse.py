"""The collapse: many changes of one issue become the few things that one receiver does not know yet.

The law (see `net`) is *last known to the receiver* → *current*. It follows that the order of arrival does not
matter, that a change given twice counts once, and that what went back to where it was is not told.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from project.models.mention_markup import mentioned
from project.services.digests.changes import Change, Kind
from project.services.digests.fields import field_named
from project.services.digests.items import (
    Creation,
    DescriptionEdit,
    Item,
    Note,
    SetChange,
    Unreadable,
    ValueChange,
)
from project.services.digests.net import Net, Nets, in_order, nets, origin_of, unread


def collapse(
    changes: Iterable[Change], *, receiver_id: str, comments: Mapping[str, str], description: str = ""
) -> list[Item]:
    """Say what the receiver does not know yet about one issue, in the order of the mail.

    Mentions come first, then comments, then changes, each by first appearance.

    Args:
        changes: What happened, the receiver's own doings and read markers included, in any order.
        receiver_id: The receiver, as mention elements name people.
        comments: Comment id → its HTML as it is now. A comment that is missing here is gone, and not told.
        description: The issue's description as it is now.
    """
    ordered = in_order(changes)
    if any(change.kind is Kind.DELETED for change in ordered):
        return []
    pending = unread(ordered)
    found = nets(pending)
    told: list[Item] = [
        *_comments(found, receiver_id, comments),
        *_description(found, receiver_id, description),
        *_values(found),
        *_sets(found),
        *_unreadable(pending),
    ]
    return sorted(_absorbed(pending, told), key=lambda item: (_rank(item), item.origin.seq))


def _rank(item: Item) -> int:
    if isinstance(item, Note):
        return 0 if item.mention else 1
    return 2


def _comments(found: Nets, receiver_id: str, comments: Mapping[str, str]) -> Iterator[Note]:
    """New comments, and old ones that an edit made mention the receiver; edits of old ones are not told."""
    for comment_id, net in found.get("comment", {}).items():
        html = comments.get(comment_id)
        if html is None:
            continue
        mention = _newly_mentioned(net, html, receiver_id)
        if mention or net.known is None:
            yield _note(net, html, comment_id, mention=mention)


def _description(found: Nets, receiver_id: str, html: str) -> Iterator[Item]:
    """A mention in the description stands for its edits; otherwise they are counted, not shown."""
    for net in found.get("description", {}).values():
        edits = {c.activity_id for c in net.counted if c.kind is Kind.CHANGED or c.old is not None}
        if _newly_mentioned(net, html, receiver_id):
            yield _note(net, html, None, mention=True)
        elif net.moved and edits:
            yield DescriptionEdit(origin=origin_of(net.counted), count=len(edits))


def _newly_mentioned(net: Net, html: str, receiver_id: str) -> bool:
    """Whether the text as it is now tells the receiver of a mention that the last known text did not hold."""
    announced = any(change.kind is Kind.MENTIONED for change in net.counted)
    return announced and receiver_id in set(mentioned(html)) - set(mentioned(net.known or ""))


def _note(net: Net, html: str, comment_id: str | None, *, mention: bool) -> Note:
    edited = any(change.old is not None for change in net.counted)
    return Note(
        origin=origin_of(net.counted), html=html, comment_id=comment_id, mention=mention, edited=edited
    )


def _values(found: Nets) -> Iterator[ValueChange]:
    for field, elements in found.items():
        if field in {"comment", "description"} or field_named(field).many:
            continue
        for net in elements.values():
            if net.moved:
                old = None if net.known is None else net.known_label
                new = None if net.current is None else net.current_label
                why = net.counted[-1].automatic
                yield ValueChange(origin=origin_of(net.counted), field=field, old=old, new=new, why=why)


def _sets(found: Nets) -> Iterator[SetChange]:
    """One item a field, whatever number of elements came and went."""
    for field, elements in found.items():
        moved = [net for net in elements.values() if net.moved] if field_named(field).many else []
        moved.sort(key=lambda net: net.counted[0].seq)
        if moved:
            yield SetChange(
                origin=origin_of(change for net in moved for change in net.counted),
                field=field,
                added=tuple(net.current_label for net in moved if net.current is not None),
                removed=tuple(net.known_label for net in moved if net.current is None),
            )


def _unreadable(pending: list[Change]) -> Iterator[Unreadable]:
    for change in pending:
        if change.kind is Kind.UNREADABLE and not change.own:
            yield Unreadable(origin=origin_of([change]))


def _absorbed(pending: list[Change], told: list[Item]) -> list[Item]:
    """Let a creation absorb the changes since: they are what the issue was created with."""
    created = [change for change in pending if change.kind is Kind.CREATED and not change.own]
    if not created:
        return told
    by_origin = sorted(told, key=lambda item: item.origin.seq)
    values = [item for item in by_origin if isinstance(item, ValueChange) and item.new is not None]
    sets = [replace(item, removed=()) for item in by_origin if isinstance(item, SetChange) and item.added]
    properties: tuple[ValueChange | SetChange, ...] = (*values, *sets)
    origin = origin_of(created)
    actors = dict.fromkeys([*origin.actors, *(actor for item in properties for actor in item.origin.actors)])
    creation = Creation(origin=replace(origin, actors=tuple(actors)), properties=properties)
    return [creation, *(item for item in told if isinstance(item, Note | Unreadable))]
