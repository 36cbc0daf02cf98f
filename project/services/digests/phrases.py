"""What a change says, in words: "Todo → Done", "set to 10 Jan 2026", "added ui; removed bug"."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from project.services.digests.fields import field_named
from project.services.digests.header_text import clean_header_text
from project.services.digests.items import Creation, DescriptionEdit, Item, SetChange, ValueChange
from project.services.digests.links import allowed_href
from project.services.digests.wording import MAX_NAMES, MAX_VALUE, names_in_words, value_in_words


class Span(NamedTuple):
    """A piece of a phrase. `role` and `href` are for the eye and the hand only: the words alone tell the same."""

    text: str
    role: Literal["old", "new", ""] = ""
    href: str = ""


Phrase = tuple[Span, ...]

#: For what has no better words. It must not fail, so it looks at nothing.
UNREADABLE: Phrase = (Span("changed in a way that this mail cannot show"),)


def subject_of(item: Item) -> str:
    """Name what changed: "State"; "Issue" if the issue itself did."""
    match item:
        case ValueChange(field=field) | SetChange(field=field):
            return field_named(field).heading
        case DescriptionEdit():
            return field_named("description").heading
    return "Issue"


def phrase_of(item: Item) -> Phrase:
    """Say how it changed."""
    match item:
        case ValueChange(field="archived_at", new=new, why=why):
            return (Span("restored" if new is None else "archived", "new"), *_why(" ", why))
        case ValueChange(why=why):
            return (*_value(item), *_why(", ", why))
        case SetChange():
            return _set(item)
        case DescriptionEdit(count=count):
            return (Span("edited" if count == 1 else f"edited {count} times"),)
        case Creation():
            return _creation(item)
    return UNREADABLE


def words_of(phrase: Sequence[Span]) -> str:
    """Return a phrase as plain text."""
    return "".join(span.text for span in phrase)


def _value(item: ValueChange) -> Phrase:
    old = None if item.old is None else Span(value_in_words(item.field, item.old), "old")
    new = None if item.new is None else Span(value_in_words(item.field, item.new), "new")
    if old and new:
        return (old, Span(" → "), new)
    if new:
        return (Span("set to "), new)
    return (Span("removed (was "), old, Span(")")) if old else UNREADABLE


def _why(joint: str, why: str) -> Phrase:
    return (Span(f"{joint}{clean_header_text(why, MAX_VALUE)}"),) if why else ()


def _set(item: SetChange) -> Phrase:
    added = (Span("added "), *_added(item.field, item.added)) if item.added else ()
    removed = (
        (Span("removed "), Span(names_in_words(item.field, item.removed), "old")) if item.removed else ()
    )
    between = (Span("; "),) if added and removed else ()
    return (*added, *between, *removed)


def _added(field: str, names: Sequence[str]) -> Phrase:
    """Name what was added; a link can be followed."""
    if field != "link":
        return (Span(names_in_words(field, names), "new"),)
    spans: list[Span] = []
    for url in names[:MAX_NAMES]:
        spans += [Span(", ")] * bool(spans)
        spans.append(Span(value_in_words(field, url), "new", allowed_href(url) or ""))
    rest = len(names) - MAX_NAMES
    return (*spans, Span(f" and {rest} more")) if rest > 0 else tuple(spans)


def _creation(item: Creation) -> Phrase:
    spans = [Span("created")]
    for place, given in enumerate(item.properties):
        names = given.added if isinstance(given, SetChange) else (given.new or "",)
        spans.append(Span(f"{', ' if place else ' with '}{subject_of(given).lower()} "))
        spans.append(Span(names_in_words(given.field, names), "new"))
    return tuple(spans)
