"""The inbox: tabs of notifications, page by page."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from rest_framework.exceptions import NotFound

from project.views.pages.entries import entries_of
from project.views.pages.page import WorkspacePage
from project.views.pages.snooze import CHOICES
from project.views.pages.tabs import FIRST, TABS, tab_named

SIZE = 30  # notifications on a page
LAST = 1000  # number of the last page that can be asked for


class InboxPage(WorkspacePage):
    """``/<slug>/inbox/?tab=…&page=…``."""

    def get(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Show a page of a tab."""
        tab, number = tab_named(request.GET.get("tab", FIRST)), _number(request.GET.get("page", "1"))
        now = timezone.now()
        rows = self.inbox.selected(tab.selection, now=now).select_related("triggered_by")
        # One more than is shown tells whether there is a next page, without counting them all.
        found = list(rows[SIZE * (number - 1) : SIZE * number + 1])
        context = {
            "tab": tab,
            "tabs": TABS.values(),
            "entries": entries_of(found[:SIZE], now=now),
            "number": number,
            "newer": number - 1,
            "older": number + 1 if len(found) > SIZE else 0,
            "choices": CHOICES.items(),
            "now": now.isoformat(),
        }
        return self.show("inbox", context)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and 1 <= int(text) <= LAST):
        raise NotFound("There is no such page.")
    return int(text)
