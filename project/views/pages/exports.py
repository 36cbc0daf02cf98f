"""The exports of a member: asked for here, followed, fetched."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from rest_framework.exceptions import NotFound, ParseError, PermissionDenied

from project.actors.exports import DEPOT
from project.models import Exporter
from project.services.exports.cancel import cancel, delete
from project.services.exports.link import ForbiddenError, NoLinkError, link
from project.services.exports.request import TooManyError, WishError, request_export
from project.services.exports.standing import exports_of
from project.views.api.exports_access import ADVICE, refuse_guests
from project.views.api.exports_sending import send
from project.views.pages.exports_entries import entries_of
from project.views.pages.exports_form import ExportForm
from project.views.pages.page import WorkspacePage
from project.views.pages.paging import part_of

SIZE = 20  # exports on a page


class _ExportPage(WorkspacePage):
    def find(self, **kwargs: Any) -> None:
        super().find(**kwargs)
        refuse_guests(self.user, self.workspace)
        self.exports = exports_of(self.user, self.workspace)

    def one(self) -> Exporter:
        """Return the export that the address names."""
        export = self.exports.filter(id=self.kwargs["export_id"]).first()
        if export is None:
            raise NotFound("There is no such export.")
        return export


class ExportsPage(_ExportPage):
    """``/<slug>/exports/?page=…``."""

    def get(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Show the form and a page of the member's exports, the newest first."""
        return self._with(ExportForm(self.user, self.workspace))

    def post(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Open an export, then show the page; or the form again, with what is wrong."""
        form = ExportForm(self.user, self.workspace, request.POST)
        if not form.is_valid() or not self._opened(form):
            response = self._with(form)
            response.status_code = 400
            return response
        return redirect(request.path)

    def _opened(self, form: ExportForm) -> bool:
        now = timezone.now()
        try:
            _, wakes = request_export(self.user, self.workspace, form.wish(), now=now, limits=settings.LIMITS)
        except WishError as error:
            form.add_error(None, str(error))
            return False
        except TooManyError as error:
            form.add_error(None, f"{error} {ADVICE}")
            return False
        send(wakes)
        messages.success(
            self.request, "Your export is on its way." if wakes else "That is on its way already."
        )
        return True

    def _with(self, form: ExportForm) -> HttpResponse:
        part = part_of(self.exports, self.request.GET.get("page", "1"), SIZE)
        entries = entries_of(part.rows, now=timezone.now())
        return self.show("exports", {"form": form, "entries": entries, "part": part, "exports_page": True})


class ExportDeed(_ExportPage):
    """``/<slug>/exports/<export_id>/``: what the buttons of one export do."""

    def post(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Cancel or delete it, then show the page."""
        export, now = self.one(), timezone.now()
        match request.POST.get("do"):
            case "cancel":
                said = "Cancelled." if cancel(export, now=now) else "It had ended before."
            case "delete":
                delete(export, now=now)
                said = "Deleted."
            case _:
                raise ParseError("There is no such button.")
        messages.success(request, said)
        return redirect("exports", kwargs["slug"])


class ExportDownload(_ExportPage):
    """``/<slug>/exports/<export_id>/download/``."""

    def get(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Lead to the archive by a link that is made for this click."""
        try:
            url = link(
                self.one(), self.user, storage=DEPOT.storage, now=timezone.now(), limits=settings.LIMITS
            )
        except ForbiddenError as error:
            raise PermissionDenied(str(error)) from error
        except NoLinkError as error:
            raise NotFound(str(error)) from error
        return redirect(url)
