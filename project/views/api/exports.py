"""The caller's exports in a workspace. Everybody sees and changes their own only."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from rest_framework import status
from rest_framework.exceptions import NotFound, Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from project.models import Exporter
from project.services.digests.wording import zone_named
from project.services.exports.cancel import cancel, delete
from project.services.exports.request import TooManyError, WishError, request_export
from project.services.exports.standing import exports_of
from project.services.exports.wish import Wish
from project.views.api.exports_access import ADVICE, refuse_guests
from project.views.api.exports_body import ExportBody
from project.views.api.exports_data import row_with_link, rows
from project.views.api.exports_sending import send
from project.views.api.inbox_pages import page_of
from project.views.api.workspace_view import WorkspaceView


class ExportView(WorkspaceView):
    """A view below ``workspaces/<slug>/export-issues/``."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse guests before the handler runs."""
        super().initial(request, *args, **kwargs)
        refuse_guests(self.actor, self.workspace)


class ExportList(ExportView):
    """``…/export-issues/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return a page of the caller's exports, the newest first."""
        exports: QuerySet[Any] = exports_of(self.actor, self.workspace)
        return Response(page_of(request.query_params.dict()).envelope(exports, self._shown))

    def post(self, request: Request, **_: Any) -> Response:
        """Open an export, or return the one that is open for the same wish."""
        zone = str(zone_named(self.actor.user_timezone))
        export = self._opened(ExportBody(data=request.data).wish(zone))
        return Response(
            {
                "message": "Once the export is ready you will be able to download it",
                "id": export.id,
                "token": export.token,
                "status_url": reverse("export", [self.workspace.slug, export.id], request=request),
            }
        )

    def _shown(self, exports: Sequence[Any]) -> list[dict[str, Any]]:
        return rows(exports, self.actor, now=timezone.now())

    def _opened(self, wish: Wish) -> Exporter:
        try:
            export, wakes = request_export(
                self.actor, self.workspace, wish, now=timezone.now(), limits=settings.LIMITS
            )
        except WishError as error:
            field = "project" if error.field == "projects" else error.field
            raise ValidationError({field: [str(error)]}) from error
        except TooManyError as error:
            raise Throttled(detail=f"{error} {ADVICE}") from error
        send(wakes)
        return export


class OneExport(ExportView):
    """A view below ``…/export-issues/<export_id>/``."""

    def one(self) -> Exporter:
        """Return the export as it is now.

        Raises:
            NotFound: if there is none, or it is somebody else's.
        """
        export = exports_of(self.actor, self.workspace).filter(id=self.kwargs["export_id"]).first()
        if export is None:
            raise NotFound("There is no such export.")
        return export

    def shown(self) -> Response:
        """Return the export as it is now, as JSON; no cache may keep the link."""
        data = row_with_link(self.one(), self.actor, now=timezone.now())
        return Response(data, headers={"Cache-Control": "no-store"})


class ExportOne(OneExport):
    """``…/export-issues/<export_id>/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return the export, and a fresh link if there is an archive that the caller may have."""
        return self.shown()

    def delete(self, request: Request, **_: Any) -> Response:
        """Take it off the list, with its archive."""
        delete(self.one(), now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class ExportCancel(OneExport):
    """``…/export-issues/<export_id>/cancel/``."""

    def post(self, request: Request, **_: Any) -> Response:
        """Cancel it; one that has ended is left as it is."""
        cancel(self.one(), now=timezone.now())
        return self.shown()
