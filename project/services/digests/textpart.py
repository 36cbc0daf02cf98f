"""The text alternative of a mail: what the HTML says, in lines."""

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import Protocol

from project.services.digests.blocks import Block, ChangeBlock, NoteBlock, notes_of, runs_of
from project.services.digests.view import DigestView
from project.services.digests.wording import counted

WIDTH = 76
_SIGNS = re.compile(r"(?:[>*-] |\d+\. | )*")  # what begins a line of a quote or a list


class Footed(Protocol):
    """What the foot of a mail is made of."""

    @property
    def reason(self) -> str:
        """Why this person gets it."""

    @property
    def receiver_name(self) -> str:
        """Whom it is for."""

    @property
    def timezone(self) -> str:
        """The zone of its times."""

    @property
    def links(self) -> list[tuple[str, str]]:
        """Words and addresses."""


def text_part(digest: DigestView, blocks: Sequence[Block], rest: int) -> str:
    """Write the mail as text; `rest` is how many items are left out."""
    parts = [_head(digest), *blocks_text(blocks)]
    if rest:
        parts.append(f"And {counted(rest, 'more update')}: {digest.issue_url}")
    return "\n\n".join([*parts, foot(digest)]) + "\n"


def _head(digest: DigestView) -> str:
    title = wrapped(f"{digest.issue_key}: {digest.issue_title}")
    place = wrapped(f"{digest.workspace} / {digest.project} / {digest.issue_state}")
    return f"{title}\n{digest.issue_url}\n{place}"


def blocks_text(blocks: Sequence[Block]) -> list[str]:
    """Write the items, a paragraph for each comment and for each run of changes."""
    return [*map(_note_text, notes_of(blocks)), *map(_run_text, runs_of(blocks))]


def _note_text(note: NoteBlock) -> str:
    shortened = "\n\n  (Shortened. The issue has all of it.)" if note.body.shortened else ""
    when = f", {note.when}" if note.when else ""
    return f"{wrapped(f'{note.heading}{when}:')}\n\n{_indented(note.body.text)}{shortened}"


def _run_text(run: Sequence[ChangeBlock]) -> str:
    told_by = ", ".join(filter(None, [run[-1].by, run[-1].when]))
    lines = [f"* {change.heading}: {change.words}" for change in run]
    return wrapped("\n".join([*lines, f"  {told_by}"] if told_by else lines))


def foot(digest: Footed) -> str:
    """Write what stands below each mail."""
    about = (
        f"{digest.reason} This mail is for {digest.receiver_name}. Times are in {digest.timezone}. "
        "Nobody reads replies to this address."
    )
    return "\n".join(["-- ", wrapped(about), *(f"{words}: {url}" for words, url in digest.links)])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in wrapped(text, WIDTH - 2).split("\n"))


def wrapped(text: str, width: int = WIDTH) -> str:
    """Wrap each line under itself. Addresses stay whole, however long they are."""
    return "\n".join(_folded(line, width) for line in text.split("\n"))


def _folded(line: str, width: int) -> str:
    signs = _SIGNS.match(line)
    under = re.sub(r"[^> ]", " ", signs[0]) if signs else ""
    return "\n".join(
        wrap(line, width, subsequent_indent=under, break_long_words=False, break_on_hyphens=False)
    )
