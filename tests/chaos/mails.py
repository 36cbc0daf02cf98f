"""What the mail server accepted, against what the digests say."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from email.parser import BytesHeaderParser
from uuid import UUID

from django.conf import settings

from project.limits import Doubt
from project.models import DigestStatus, EmailDigest
from project.services.digests.message import Extra
from tests.scripted_smtp import Accepted


@dataclass(frozen=True)
class MailsFound:
    """Digests by what is to be said of them.

    Attributes:
        ends: How many came to which end.
        accepted: How many mails the server accepted.
        lost: Called sent, and the server never accepted a mail of theirs.
        doubled: The server accepted more mails of theirs than the policy may send.
        again: The server accepted the same mail twice, by a policy that says so.
        denied: The server accepted a mail of theirs, and the digest says that nothing was sent.
        misnamed: The accepted mail has another Message-ID than the digest says.
        assumed: Whose answer nobody heard, and which count as sent by policy.
        assumed_missing: Those of them that the server never accepted: the price of never sending twice.
        unknown: Ids in accepted mails of digests that do not exist.
    """

    ends: Counter[str]
    accepted: int
    lost: set[UUID] = field(default_factory=set)
    doubled: set[UUID] = field(default_factory=set)
    again: set[UUID] = field(default_factory=set)
    denied: set[UUID] = field(default_factory=set)
    misnamed: set[UUID] = field(default_factory=set)
    assumed: set[UUID] = field(default_factory=set)
    assumed_missing: set[UUID] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)


def compare(accepted: Iterable[Accepted]) -> MailsFound:
    """Go through all digests; to be called once they have come to their ends."""
    by_digest: dict[str, list[str]] = {}
    for mail in accepted:
        head = BytesHeaderParser().parsebytes(mail.content)
        by_digest.setdefault(head[Extra.DIGEST], []).append(head["Message-ID"])
    digests = EmailDigest.objects.only("status", "urgent", "message_id")
    found = MailsFound(
        ends=Counter(digest.status for digest in digests),
        accepted=sum(map(len, by_digest.values())),
        unknown=by_digest.keys() - {str(digest.id) for digest in digests},
    )
    for digest in digests:
        _judge(found, digest, by_digest.get(str(digest.id), []))
    return found


def _judge(found: MailsFound, digest: EmailDigest, mails: list[str]) -> None:
    if len(mails) > 1:
        (found.again if _sent_again(digest, mails) else found.doubled).add(digest.id)
    if digest.status == DigestStatus.SENT_ASSUMED:
        found.assumed.add(digest.id)
        if not mails:
            found.assumed_missing.add(digest.id)
    elif digest.status == DigestStatus.SENT:
        if not mails:
            found.lost.add(digest.id)
    elif mails:
        found.denied.add(digest.id)
    if mails and digest.message_id not in mails:
        found.misnamed.add(digest.id)


def _sent_again(digest: EmailDigest, mails: list[str]) -> bool:
    policy = settings.LIMITS.ambiguous_urgent is Doubt.RESEND
    return policy and digest.urgent and len(mails) == 2 and len(set(mails)) == 1
