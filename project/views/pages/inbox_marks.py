"""What the buttons of the inbox do."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from rest_framework.exceptions import NotFound, ParseError

from project.models import Entity, Notification
from project.services.notifications.inbox_marks import (
    Rows,
    archive,
    mark_read,
    mark_unread,
    snooze,
    unarchive,
)
from project.views.pages.page import WorkspacePage
from project.views.pages.snooze import CHOICES, snoozed_until
from project.views.pages.tabs import FIRST, tab_named


class Mark(NamedTuple):
    """What a button does, and what is said afterwards."""

    act: Callable[[Rows, datetime], object]
    said: str


def _snoozing(choice: str) -> Mark:
    def act(rows: Rows, now: datetime) -> None:
        snooze(rows, snoozed_until(choice, now=now, zone=timezone.get_current_timezone()), now=now)

    return Mark(act, f"Snoozed {CHOICES[choice][0].lower()}{CHOICES[choice][1:]}.")


MARKS = {
    "open": Mark(lambda rows, now: mark_read(rows, now=now), ""),
    "read": Mark(lambda rows, now: mark_read(rows, now=now), "Marked as read."),
    "unread": Mark(lambda rows, now: mark_unread(rows, now=now), "Marked as unread."),
    "archive": Mark(lambda rows, now: archive(rows, now=now), "Archived."),
    "unarchive": Mark(lambda rows, now: unarchive(rows, now=now), "Moved back to the inbox."),
    "wake": Mark(lambda rows, now: snooze(rows, None, now=now), "No longer snoozed."),
    **{f"snooze-{choice}": _snoozing(choice) for choice in CHOICES},
}


class NotificationMark(WorkspacePage):
    """``/<slug>/inbox/<notification_id>/``: one notification."""

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Do what the button says, then show the same tab, or the issue."""
        name = request.POST.get("do", "")
        rows = self.inbox.rows().filter(id=kwargs["notification_id"])
        row = rows.first()
        if row is None:
            raise NotFound("There is no such notification.")
        if name not in MARKS:
            raise ParseError("There is no such button.")
        mark = MARKS[name]
        mark.act(rows, timezone.now())
        if name == "open":
            return redirect(_place_of(row, kwargs["slug"]))
        messages.success(request, mark.said)
        return _back(request, kwargs["slug"], f"#n-{row.id}")


class MarkAllRead(WorkspacePage):
    """``/<slug>/inbox/mark-all-read/``: all of a tab that were there when the page was shown."""

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Mark them, then show the tab."""
        now = timezone.now()
        seen = _moment(request.POST.get("seen", "")) or now
        tab = tab_named(request.POST.get("tab", FIRST))
        mark_read(self.inbox.selected(tab.selection, now=now).filter(created_at__lte=seen), now=now)
        messages.success(request, "All marked as read.")
        return _back(request, kwargs["slug"])


def _place_of(row: Notification, slug: str) -> str:
    """Return the address of what it is about."""
    if row.entity_name == Entity.EXPORT:
        return f"{reverse('exports', args=[slug])}#e-{row.entity_identifier}"
    return reverse("issue", args=[slug, row.project_id, row.entity_identifier])


def _moment(text: str) -> datetime | None:
    try:
        moment = parse_datetime(text)
    except ValueError:
        return None
    return moment if moment and moment.tzinfo else None


def _back(request: HttpRequest, slug: str, place: str = "") -> HttpResponse:
    where = {key: request.POST[key] for key in ("tab", "page") if key in request.POST}
    return redirect(f"{reverse('inbox', args=[slug])}?{urlencode(where)}{place}")
