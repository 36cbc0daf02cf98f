"""The least that the same mails can cost: render them and send them, with nothing written down.

What a mail tells was read and collapsed before. Nothing is checked, nothing is recorded: a crash of this loop
loses or repeats mails, and nobody would know which.
"""

import smtplib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings

from project.services.digests.collapse import collapse
from project.services.digests.compose import compose
from project.services.digests.context import load
from project.services.digests.history import changes_of
from project.services.digests.letter import view_of
from project.services.digests.message import build, message_id, thread_root
from project.services.digests.view import DigestView


@dataclass(frozen=True)
class Letter:
    """What one mail is rendered from."""

    digest_id: UUID
    receiver_id: UUID
    issue_id: UUID
    recipient: str
    date: datetime
    view: DigestView


def read(digest_id: UUID) -> Letter:
    """Read all that the mail of a digest is made of."""
    context = load(digest_id)
    (matter,), receiver = context.matters, context.receiver
    assert receiver.email and context.digest.sealed_at
    items = collapse(
        changes_of(context, matter, {}),
        receiver_id=str(receiver.id),
        comments={str(comment.id): comment.comment_html for comment in context.comments.values()},
        description=matter.issue.description_html,
    )
    view = view_of(context, matter, items, settings.SITE_URL)
    sealed_at = context.digest.sealed_at
    return Letter(digest_id, receiver.id, matter.issue.id, receiver.email, sealed_at, view)


def send_all(letters: Iterable[Letter], url: str) -> None:
    """Render and send, over one connection."""
    server = urlsplit(url)
    with smtplib.SMTP(server.hostname or "", server.port or 0) as smtp:
        for letter in letters:
            smtp.sendmail(settings.NOTIFY_FROM.address, [letter.recipient], _render(letter))


def _render(letter: Letter) -> bytes:
    sender = settings.NOTIFY_FROM
    root = thread_root(letter.receiver_id, letter.issue_id, sender.domain)
    content = compose(letter.view)
    return build(
        sender=sender,
        recipient=letter.recipient,
        subject=content.subject,
        text=content.text,
        html=content.html,
        message_id=message_id(letter.digest_id, 1, sender.domain),
        date=letter.date,
        references=[root],
        in_reply_to=root,
    )
