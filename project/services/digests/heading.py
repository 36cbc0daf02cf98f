"""What a mail's header says besides from whom, to whom and when: the thread, the list, the way out, the reason.

Filters, threads and complaint reports rest on these values, so they are made of what stays: ids and slugs. The
two headers that say the name of a project or issue are for people's own filters.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from project.models import EmailDigest, Workspace
from project.services.digests.compose import Content
from project.services.digests.message import LONGEST_TOKEN, Extra
from project.services.digests.reason import Reason
from project.services.digests.thread import Thread

#: Names us in reports about complaints: 5 to 15 characters, the same for ever.
SENDER_ID = "singlepost"

_SLUG = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Heading:
    """The arguments of `message.build` that follow from where a mail belongs, and not from what it says."""

    references: tuple[str, ...]
    in_reply_to: str
    unsubscribe: tuple[str, ...]
    extra: Mapping[Extra, str]


def heading_of(
    digest: EmailDigest, content: Content, thread: Thread, *, domain: str, mailto: str, keeps_ids: bool
) -> Heading:
    """Return the heading of a digest's mail.

    Args:
        digest: with its workspace, and its issue and project if it is about one.
        content: what the mail says.
        thread: where it stands.
        domain: that of our address.
        mailto: an address that takes wishes to unsubscribe, besides the link; may be empty.
        keeps_ids: whether the provider leaves each Message-ID as it is; else nobody ever saw ours.
    """
    answered = thread.previous if keeps_ids else ""
    return Heading(
        references=tuple(filter(None, (thread.root, thread.previous))),
        in_reply_to=answered or thread.root,
        unsubscribe=tuple(_ways_out(content.unsubscribe_url, mailto)),
        extra=dict(_extra(digest, content.reason, domain)),
    )


def list_id(about: UUID, workspace: Workspace, domain: str) -> str:
    """Name a mailing list (RFC 2919) after a project or workspace, with as much of the slug as fits.

    A slug that is no ASCII word, which only somebody else's software writes, is left out.
    """
    short_id = about.hex[:12]
    if not _SLUG.fullmatch(workspace.slug):
        return f"<{short_id}.{domain}>"
    room = LONGEST_TOKEN - len(f"<{short_id}..{domain}>")
    return f"<{short_id}.{workspace.slug[:room]}.{domain}>"


def feedback_id(digest: EmailDigest, reason: Reason | None) -> str:
    """Say for complaint reports what kind of mail it is, and one of sixteen buckets of workspaces.

    Providers count complaints by each part, so none may name a person.
    """
    kind = "mention" if reason is Reason.MENTION else digest.kind
    bucket = digest.workspace_id.hex[0] if digest.workspace_id else "none"
    return f"{kind}:{bucket}:v1:{SENDER_ID}"


def _ways_out(url: str, mailto: str) -> Iterator[str]:
    if url:
        yield url
        if mailto:
            token = url.rstrip("/").rpartition("/")[2]
            yield f"mailto:{mailto}?subject={token}"


def _extra(digest: EmailDigest, reason: Reason | None, domain: str) -> Iterator[tuple[Extra, str]]:
    yield Extra.FEEDBACK_ID, feedback_id(digest, reason)
    yield Extra.DIGEST, str(digest.id)
    if reason:
        yield Extra.REASON, reason.word
    issue, workspace = digest.issue, digest.workspace
    if workspace:
        yield Extra.LIST_ID, list_id(issue.project_id if issue else workspace.id, workspace, domain)
    if issue:
        yield Extra.PROJECT, issue.project.identifier
        yield Extra.ISSUE, f"{issue.project.identifier}-{issue.sequence_id}"
