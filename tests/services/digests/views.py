"""A digest about one issue, to be composed in tests."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from project.services.digests.items import Item, Note, Origin, SetChange, ValueChange
from project.services.digests.reason import Reason
from project.services.digests.view import DigestView

AT = datetime(2026, 1, 15, 23, 26, tzinfo=UTC)


def by(*actors: str | None, at: datetime | None = AT) -> Origin:
    return Origin(actors or ("ann",), 1, at)


def note(html: str = "<p>look</p>", **fields: Any) -> Note:
    given = {"origin": by(), "html": html, "comment_id": "c1", "mention": False, "edited": False}
    return Note(**given | fields)


def value(field: str, old: str | None, new: str | None, origin: Origin | None = None) -> ValueChange:
    return ValueChange(origin=origin or by(), field=field, old=old, new=new)


def elements(field: str, added: tuple[str, ...] = (), removed: tuple[str, ...] = ()) -> SetChange:
    return SetChange(origin=by(), field=field, added=added, removed=removed)


_VIEW = DigestView(
    receiver_name="Mia Chen",
    timezone="Europe/Berlin",
    workspace="Acme",
    project="Website",
    issue_key="WEB-42",
    issue_title="Slow in Safari",
    issue_state="In Progress",
    items=(),
    people={"ann": "Ann Lee", "bob": "Bob Stone", "eve": "Eve", "carl": "Carl"},
    reason=Reason.ASSIGNED,
    issue_url="https://tracker.example.org/acme/projects/1/issues/42",
    preferences_url="https://tracker.example.org/settings/notifications",
    unsubscribe_url="https://tracker.example.org/unsubscribe/AbCdEfGhIjKlMnOp/",
)


def view(*items: Item, **fields: Any) -> DigestView:
    return replace(_VIEW, items=items, **fields)
