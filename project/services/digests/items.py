"""What a digest tells: the items that the collapse leaves, before any wording."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Origin:
    """Who brought an item about, in order of first appearance, and where and when it began.

    An actor is a user id; None is somebody who is not known. `bulk_id` names the act on many issues that alone
    brought it about, if one did.
    """

    actors: tuple[str | None, ...]
    seq: int
    at: datetime | None
    bulk_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Item:
    """One thing that the receiver does not know yet."""

    origin: Origin


@dataclass(frozen=True, kw_only=True)
class Note(Item):
    """A comment, or a description that now mentions the receiver (`comment_id` is None). `html` as stored."""

    html: str
    comment_id: str | None
    mention: bool
    edited: bool


@dataclass(frozen=True, kw_only=True)
class ValueChange(Item):
    """A field with one value. None means no value; an empty string, a value whose name is not known.

    `why` is not empty if a rule of the project set the new one.
    """

    field: str
    old: str | None
    new: str | None
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class SetChange(Item):
    """A field with elements: the names that came and went; an empty string is one without a known name."""

    field: str
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class DescriptionEdit(Item):
    """The description changed, in `count` edits."""

    count: int


@dataclass(frozen=True, kw_only=True)
class Creation(Item):
    """The issue is new; `properties` were set since, single values first."""

    properties: tuple[ValueChange | SetChange, ...]


@dataclass(frozen=True, kw_only=True)
class Unreadable(Item):
    """Something happened whose record says nothing. It is told as that, rather than lost."""
