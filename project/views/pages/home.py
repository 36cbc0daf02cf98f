"""The address without a path: leads to the inbox of the first workspace."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from project.views.api.access import joined
from project.views.pages.page import Page


class Home(Page):
    """``/``."""

    def get(self, request: HttpRequest) -> HttpResponse:
        """Lead on, or say that there is no workspace."""
        first = joined(self.user).first()
        if first is None:
            return self.show("refused", {"why": "You are not a member of any workspace yet."})
        return redirect("inbox", slug=first.slug)
