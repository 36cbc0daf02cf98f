"""The link in a mail by which its receiver can stop such mails."""

from typing import Any

from project.models import DigestKind, EmailDigest, UnsubscribeToken


def way_out(digest: EmailDigest, site_url: str) -> str:
    """Return the link: the same in all mails to this person about this issue, of this workspace, about exports."""
    about: dict[str, Any] = {"issue_id": digest.issue_id, "workspace_id": None}
    if digest.kind == DigestKind.ROLLUP:
        about["workspace_id"] = digest.workspace_id
    row, _ = UnsubscribeToken.objects.get_or_create(receiver_id=digest.receiver_id, **about)
    return f"{site_url}/unsubscribe/{row.token}/"
