"""The text alternative of a mail: what the HTML says, in lines."""

import re
from collections.abc import Sequence
from textwrap import wrap

from project.services.digests.blocks import Block, NoteBlock
from project.services.digests.view import DigestView
from project.services.digests.wording import counted

WIDTH = 76
_SIGNS = re.compile(r"(?:[>*-] |\d+\. | )*")  # what begins a line of a quote or a list


def text_part(digest: DigestView, blocks: Sequence[Block], rest: int) -> str:
    """Write the mail as text; `rest` is how many items are left out."""
    parts = [_head(digest), *map(_block, blocks)]
    if rest:
        parts.append(f"And {counted(rest, 'more update')}: {digest.issue_url}")
    return "\n\n".join([*parts, _foot(digest)]) + "\n"


def _head(digest: DigestView) -> str:
    title = _wrapped(f"{digest.issue_key}: {digest.issue_title}")
    place = _wrapped(f"{digest.workspace} / {digest.project} / {digest.issue_state}")
    return f"{title}\n{digest.issue_url}\n{place}"


def _block(block: Block) -> str:
    if isinstance(block, NoteBlock):
        shortened = "\n\n  (Shortened. The issue has all of it.)" if block.body.shortened else ""
        when = f", {block.when}" if block.when else ""
        return f"{_wrapped(f'{block.heading}{when}:')}\n\n{_indented(block.body.text)}{shortened}"
    told_by = ", ".join(filter(None, [block.by, block.when]))
    return _wrapped(f"* {block.heading}: {block.words}" + (f"\n  {told_by}" if told_by else ""))


def _foot(digest: DigestView) -> str:
    about = f"{digest.reason} This mail is for {digest.receiver_name}. Times are in {digest.timezone}."
    return "\n".join(["-- ", _wrapped(about), *(f"{words}: {url}" for words, url in digest.links)])


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in _wrapped(text, WIDTH - 2).split("\n"))


def _wrapped(text: str, width: int = WIDTH) -> str:
    """Wrap each line under itself. Addresses stay whole, however long they are."""
    return "\n".join(_folded(line, width) for line in text.split("\n"))


def _folded(line: str, width: int) -> str:
    signs = _SIGNS.match(line)
    under = re.sub(r"[^> ]", " ", signs[0]) if signs else ""
    return "\n".join(
        wrap(line, width, subsequent_indent=under, break_long_words=False, break_on_hyphens=False)
    )
