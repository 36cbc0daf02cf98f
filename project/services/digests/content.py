"""What a digest's mail says: the items that the collapse leaves of each issue, put in words."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from uuid import UUID

from project.models import DigestKind, EmailDigest
from project.services.digests.collapse import collapse
from project.services.digests.compose import Content, compose
from project.services.digests.compose_rollup import compose_rollup
from project.services.digests.context import Context
from project.services.digests.export_mail import compose_export
from project.services.digests.history import changes_of
from project.services.digests.items import Item, Note
from project.services.digests.letter import rollup_of, view_of
from project.services.digests.matter import Matter
from project.services.digests.recheck import Preference, wants
from project.services.digests.way_out import way_out

#: Stands for each comment in a mail that the server found too big.
LEFT_OUT = "<p><em>The text makes the mail too big. The issue has it.</em></p>"


def content_of(context: Context, without: Mapping[UUID, str], site_url: str) -> Content | None:
    """Write the mail without the log rows `without`, with links to `site_url`; None if nothing is left."""
    if context.export:
        unsubscribe_url = way_out(context.digest, site_url)
        return compose_export(context.export, context.receiver, site_url, unsubscribe_url)
    told = list(_told(context, without))
    if not told:
        return None
    if len(told) > 1:
        return compose_rollup(rollup_of(context, told, site_url))
    [(matter, items)] = told
    _narrow(context.digest, matter)
    return compose(view_of(context, matter, items, site_url))


def _narrow(digest: EmailDigest, matter: Matter) -> None:
    """Let what is left of a roll-up be a mail like any about that issue: in its thread, with its way out.

    The row is a roll-up still, since at the next attempt more may be left.
    """
    digest.kind, digest.issue = DigestKind.ISSUE, matter.issue


def _told(context: Context, without: Mapping[UUID, str]) -> Iterator[tuple[Matter, list[Item]]]:
    for matter in context.matters:
        if items := [_shortened(context, item) for item in _items(context, matter, without)]:
            yield matter, items


def _items(context: Context, matter: Matter, without: Mapping[UUID, str]) -> Iterator[Item]:
    found = collapse(
        changes_of(context, matter, without),
        receiver_id=str(context.receiver.id),
        comments={str(c.id): c.comment_html for c in context.comments.values() if c.deleted_at is None},
        description=matter.issue.description_html,
    )
    return (item for item in found if _wanted(matter, item))


def _wanted(matter: Matter, item: Item) -> bool:
    """A mention that was taken back is a comment like any other, and told to those who want comments."""
    plain_comment = isinstance(item, Note) and not item.mention
    return not plain_comment or wants(matter.preference, Preference.COMMENT)


def _shortened(context: Context, item: Item) -> Item:
    return replace(item, html=LEFT_OUT) if context.digest.abridged and isinstance(item, Note) else item
