"""Composes the mail about an export that ended. It leads to the page of the exports, and never to the archive.

A signed link works for whoever holds it, and mails are forwarded; the page asks who is there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from django.template.defaultfilters import filesizeformat
from django.template.loader import render_to_string

from project.models import User
from project.services.digests.compose import Content
from project.services.digests.export_note import ExportNote
from project.services.digests.header_text import clean_header_text
from project.services.digests.reason import Reason
from project.services.digests.textpart import foot, wrapped
from project.services.digests.view import MAX_LINE
from project.services.digests.wording import counted, moment, zone_named

MAX_REASON = 500  # characters


@dataclass(frozen=True, kw_only=True)
class ExportView:
    """What the mail is made of; each text is one clean line."""

    title: str
    sentences: tuple[str, ...]
    url: str
    receiver_name: str
    timezone: str
    preferences_url: str
    unsubscribe_url: str
    reason: Reason = Reason.EXPORT

    @property
    def links(self) -> list[tuple[str, str]]:
        """The links below the mail: words and address."""
        return [
            ("Change notification settings", self.preferences_url),
            ("Unsubscribe from mails about exports", self.unsubscribe_url),
        ]


def compose_export(note: ExportNote, receiver: User, site_url: str, unsubscribe_url: str) -> Content:
    """Write the mail. Links come from `site_url` only."""
    view = _view(note.told, receiver, site_url, unsubscribe_url)
    html = render_to_string("mail/export.html", {"export": view, "preheader": view.sentences[0]})
    return Content(view.title, view.sentences[0], _text(view), html, view.reason, view.unsubscribe_url)


def _view(told: Mapping[str, Any], receiver: User, site_url: str, unsubscribe_url: str) -> ExportView:
    place, zone = f"{site_url}/{told['workspace_slug']}", zone_named(receiver.user_timezone)
    return ExportView(
        title=clean_header_text(told["title"], MAX_LINE),
        sentences=tuple(_sentences(told, zone)),
        url=f"{place}/exports/#e-{told['id']}",
        receiver_name=clean_header_text(receiver.shown_name),
        timezone=str(zone),
        preferences_url=f"{place}/settings/account/notifications/",
        unsubscribe_url=unsubscribe_url,
    )


def _sentences(told: Mapping[str, Any], zone: tzinfo) -> Iterator[str]:
    if told["offered_until"] is None:
        yield clean_header_text(told["reason"], MAX_REASON)
        return
    size = filesizeformat(told["size"]).replace("\xa0", " ")
    yield f"The archive holds {counted(told['rows'], 'issue')} and has {size}."
    if cut := told["cut_cells"]:
        yield f"{counted(cut, 'text')} {'was' if cut == 1 else 'were'} too long for Excel and cut."
    until = moment(datetime.fromisoformat(told["offered_until"]), zone)
    yield f"You can fetch it until {until}. Nobody else can, so this mail leads to a page that knows you."


def _text(view: ExportView) -> str:
    head = f"{wrapped(view.title)}\n{view.url}"
    return "\n\n".join([head, *map(wrapped, view.sentences), foot(view)]) + "\n"
