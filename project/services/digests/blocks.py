"""The blocks of a mail: each item in words, ready to be set as text or as HTML.

Both parts of a mail are written from the same blocks, so that neither can tell what the other does not.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import groupby
from operator import attrgetter

from project.services.digests.avatar import Avatar, avatar_of
from project.services.digests.items import Item, Note
from project.services.digests.phrases import UNREADABLE, Phrase, phrase_of, subject_of, words_of
from project.services.digests.sanitise import Body, comment_body
from project.services.digests.wording import moment, name_of, people_in_words

_log = logging.getLogger(__name__)

EMPTY_BODY = Body("<p><em>No text.</em></p>", "No text.", shortened=False)


@dataclass(frozen=True, kw_only=True)
class NoteBlock:
    """A comment or a mention: "Ann mentioned you in a comment", with the text."""

    who: str
    did: str
    when: str
    mention: bool
    avatar: Avatar
    body: Body

    @property
    def heading(self) -> str:
        """Who did what."""
        return f"{self.who} {self.did}"

    @property
    def summary(self) -> str:
        """The block in one line."""
        return f"{self.heading}: {' '.join(self.body.text.split())}"


@dataclass(frozen=True, kw_only=True)
class ChangeBlock:
    """A change: "State", "Todo → Done", by whom and when. The last two may be empty."""

    heading: str
    phrase: Phrase
    by: str
    when: str

    @property
    def words(self) -> str:
        """The phrase as plain text."""
        return words_of(self.phrase)

    @property
    def summary(self) -> str:
        """The block in one line."""
        return f"{self.heading}: {self.words}"


Block = NoteBlock | ChangeBlock


def block_of(item: Item, people: Mapping[str, str], zone: tzinfo) -> Block:
    """Put an item in words for one receiver. Never raises: what cannot be described says just that.

    Args:
        item: What is to be told.
        people: User id → name, one clean line each.
        zone: The receiver's.
    """
    try:
        return _note(item, people, zone) if isinstance(item, Note) else _change(item, people, zone)
    except Exception:
        _log.exception("a %s cannot be described", type(item).__name__)
        return ChangeBlock(heading="Issue", phrase=UNREADABLE, by="", when="")


def notes_of(blocks: Sequence[Block]) -> list[NoteBlock]:
    """Return the comments and mentions."""
    return [block for block in blocks if isinstance(block, NoteBlock)]


def runs_of(blocks: Sequence[Block]) -> list[list[ChangeBlock]]:
    """Return the changes, in runs by the same people in the same minute: who and when is told once for each."""
    changes = [block for block in blocks if isinstance(block, ChangeBlock)]
    return [list(run) for _, run in groupby(changes, key=attrgetter("by", "when"))]


def _note(item: Note, people: Mapping[str, str], zone: tzinfo) -> NoteBlock:
    place = "the description" if item.comment_id is None else "a comment"
    did = f"mentioned you in {place}" if item.mention else "commented"
    body = comment_body(item.html, people)
    return NoteBlock(
        who=people_in_words(item.origin.actors, people),
        did=f"{did} (edited)" if item.edited else did,
        when=moment(item.origin.at, zone),
        mention=item.mention,
        avatar=avatar_of(name_of(item.origin.actors[0], people)),
        body=body if body.text else EMPTY_BODY,
    )


def _change(item: Item, people: Mapping[str, str], zone: tzinfo) -> ChangeBlock:
    return ChangeBlock(
        heading=subject_of(item),
        phrase=phrase_of(item),
        by=people_in_words(item.origin.actors, people),
        when=moment(item.origin.at, zone),
    )
