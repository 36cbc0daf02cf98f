"""Composes the mail of a digest: subject, preheader, text and HTML, from the same blocks."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.template.loader import render_to_string

from project.services.digests.blocks import Block, block_of, notes_of, runs_of
from project.services.digests.header_text import clean_header_text
from project.services.digests.reason import Reason
from project.services.digests.textpart import text_part
from project.services.digests.view import DigestView
from project.services.digests.wording import zone_named

MAX_ITEMS = 25
MAX_HTML = 90_000  # bytes; Gmail hides what comes after about 102 KB
MAX_PREHEADER = 110  # characters; about as many stand beside a subject


@dataclass(frozen=True)
class Content:
    """What a mail says. The subject is as long as the title; `message.build` makes a header of it.

    Attributes:
        reason: told by the foot, and by the header as well; None if it is about no issue.
        unsubscribe_url: the same.
    """

    subject: str
    preheader: str
    text: str
    html: str
    reason: Reason | None = None
    unsubscribe_url: str = ""


def subject(issue_key: str, title: str) -> str:
    """Name the mail after its issue: clients put mails of one subject into one thread."""
    return f"[{issue_key}] {title}"


def compose(digest: DigestView) -> Content:
    """Write the mail. Items that are too many are only counted; a bad one is told in a reduced form."""
    view = digest.cleaned()
    zone = zone_named(view.timezone)
    blocks = [block_of(item, view.people, zone) for item in view.items[:MAX_ITEMS]]
    preheader = clean_header_text("; ".join(block.summary for block in blocks), MAX_PREHEADER)
    html = _html(view, preheader, blocks)
    while blocks and len(html.encode()) > MAX_HTML:
        blocks.pop()
        html = _html(view, preheader, blocks)
    text = text_part(view, blocks, len(view.items) - len(blocks))
    title = subject(digest.issue_key, digest.issue_title)
    return Content(title, preheader, text, html, view.reason, view.unsubscribe_url)


def _html(view: DigestView, preheader: str, blocks: Sequence[Block]) -> str:
    context = {
        "digest": view,
        "preheader": preheader,
        "notes": notes_of(blocks),
        "runs": runs_of(blocks),
        "rest": len(view.items) - len(blocks),
    }
    return render_to_string("mail/digest.html", context)
