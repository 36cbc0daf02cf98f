"""The thread of a mail: the mails about one issue that one person gets, held together by all means there are.

Clients put mails into a thread by their references or by their subject. So every mail, the first one too,
refers to a root that no mail has; and its subject is that of the mail before it, even if the issue's title
has changed since. Mails that gather the issues of a workspace have a thread for each day of the receiver.
"""

from dataclasses import dataclass
from datetime import timedelta

from project.models import DigestKind, DigestStatus, EmailDigest
from project.services.digests.message import thread_root
from project.services.digests.wording import zone_named

#: After so long without a mail the thread goes on under the title that the issue has then.
SUBJECT_KEPT = timedelta(days=30)

_MAILED = (DigestStatus.SENT, DigestStatus.SENT_ASSUMED)


@dataclass(frozen=True, slots=True)
class Thread:
    """Where a mail stands in its thread.

    Attributes:
        root: The Message-ID that every mail of the thread refers to.
        previous: That of the mail before; empty if this is the first.
        subject: That of the mail before; empty if the title decides.
    """

    root: str
    previous: str = ""
    subject: str = ""


def thread_of(digest: EmailDigest, domain: str) -> Thread:
    """Find the thread of a digest. One that is about an export stands alone."""
    root = thread_root(digest.receiver_id, _about(digest), domain)
    before = _mail_before(digest)
    if before is None or before.sealed_at is None:
        return Thread(root)
    kept = digest.created_at - before.sealed_at < SUBJECT_KEPT
    return Thread(root, before.message_id, before.subject if kept else "")


def _about(digest: EmailDigest) -> object:
    if digest.kind == DigestKind.ROLLUP:
        day = digest.created_at.astimezone(zone_named(digest.receiver.user_timezone)).date()
        return f"{digest.workspace_id}:{day}"
    return digest.issue_id or digest.id


def _mail_before(digest: EmailDigest) -> EmailDigest | None:
    if digest.issue_id is None:
        return None
    earlier = EmailDigest.objects.filter(
        issue=digest.issue_id,
        receiver=digest.receiver_id,
        created_at__lt=digest.created_at,
        status__in=_MAILED,
    )
    return earlier.order_by("-created_at").only("message_id", "subject", "sealed_at").first()
