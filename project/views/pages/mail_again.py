"""``/<slug>/settings/account/notifications/mail-again/``: the owner of an address says that it takes mail again."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from project.services.digests.clearing import try_again
from project.views.pages.page import WorkspacePage


class MailAgain(WorkspacePage):
    """A button of the settings, by POST only."""

    def post(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Clear what the owner may clear, and show the settings."""
        address = self.user.email or ""
        if try_again(address, now=timezone.now()):
            messages.success(request, f"Mails go to {address} again.")
        return redirect("preferences", self.workspace.slug)
