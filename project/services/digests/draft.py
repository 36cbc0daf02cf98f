"""A mail before it is frozen: all that it is made of, but for its generation and time."""

from dataclasses import dataclass
from datetime import datetime

from project.mail_server import Mailbox
from project.models import EmailDigest
from project.services.digests.compose import Content
from project.services.digests.message import Extra, build, message_id, thread_root


@dataclass(frozen=True)
class Letterhead:
    """What all mails have in common: whom they come from and the site that their links lead to."""

    sender: Mailbox
    site_url: str


@dataclass(frozen=True)
class Draft:
    """All that a mail is made of, but for its generation and time."""

    digest: EmailDigest
    content: Content
    recipient: str
    sender: Mailbox

    def message_id(self, generation: int) -> str:
        """Name the mail."""
        return message_id(self.digest.id, generation, self.sender.domain)

    def frozen(self, generation: int, sealed_at: datetime) -> bytes:
        """Return the bytes. The thread's root is named from the first mail on, so that it holds them all."""
        digest = self.digest
        root = thread_root(digest.receiver_id, digest.issue_id or digest.id, self.sender.domain)
        return build(
            sender=self.sender,
            recipient=self.recipient,
            subject=self.content.subject,
            text=self.content.text,
            html=self.content.html,
            message_id=self.message_id(generation),
            date=sealed_at,
            references=[root],
            in_reply_to=root,
            extra={Extra.DIGEST: str(digest.id)},
        )
