"""A mail before it is frozen: all that it is made of, but for its generation and time."""

from dataclasses import dataclass, replace
from datetime import datetime

from project.mail_server import Mailbox
from project.models import EmailDigest
from project.services.digests.compose import Content
from project.services.digests.heading import Heading, heading_of
from project.services.digests.message import build, message_id
from project.services.digests.thread import thread_of


@dataclass(frozen=True)
class Letterhead:
    """What all mails have in common.

    Attributes:
        sender: whom they come from.
        site_url: what their links begin with.
        unsubscribe_mailto: an address that takes wishes to unsubscribe, besides the link; may be empty.
        keeps_ids: whether the provider behind the mail server leaves each Message-ID as it is.
    """

    sender: Mailbox
    site_url: str
    unsubscribe_mailto: str = ""
    keeps_ids: bool = True


@dataclass(frozen=True)
class Draft:
    """All that a mail is made of, but for its generation and time."""

    digest: EmailDigest
    content: Content
    recipient: str
    sender: Mailbox
    heading: Heading

    def message_id(self, generation: int) -> str:
        """Name the mail."""
        return message_id(self.digest.id, generation, self.sender.domain)

    def frozen(self, generation: int, sealed_at: datetime) -> bytes:
        """Return the bytes."""
        return build(
            sender=self.sender,
            recipient=self.recipient,
            subject=self.content.subject,
            text=self.content.text,
            html=self.content.html,
            message_id=self.message_id(generation),
            date=sealed_at,
            references=self.heading.references,
            in_reply_to=self.heading.in_reply_to,
            unsubscribe=self.heading.unsubscribe,
            extra=self.heading.extra,
        )


def draft_of(digest: EmailDigest, content: Content, recipient: str, letterhead: Letterhead) -> Draft:
    """Put the mail of a digest into its thread and under its heading."""
    domain = letterhead.sender.domain
    thread = thread_of(digest, domain)
    heading = heading_of(
        digest,
        content,
        thread,
        domain=domain,
        mailto=letterhead.unsubscribe_mailto,
        keeps_ids=letterhead.keeps_ids,
    )
    named = replace(content, subject=thread.subject or content.subject)
    return Draft(digest, named, recipient, letterhead.sender, heading)
