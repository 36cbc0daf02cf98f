"""The inbox: tabs of notifications, page by page."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from project.views.pages.entries import entries_of
from project.views.pages.page import WorkspacePage
from project.views.pages.paging import part_of
from project.views.pages.snooze import CHOICES
from project.views.pages.tabs import FIRST, TABS, tab_named

SIZE = 30  # notifications on a page


class InboxPage(WorkspacePage):
    """``/<slug>/inbox/?tab=…&page=…``."""

    def get(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Show a page of a tab."""
        tab, now = tab_named(request.GET.get("tab", FIRST)), timezone.now()
        rows = self.inbox.selected(tab.selection, now=now).select_related("triggered_by")
        part = part_of(rows, request.GET.get("page", "1"), SIZE)
        context = {
            "tab": tab,
            "tabs": TABS.values(),
            "entries": entries_of(part.rows, now=now),
            "part": part,
            "choices": CHOICES.items(),
            "now": now.isoformat(),
        }
        return self.show("inbox", context)
