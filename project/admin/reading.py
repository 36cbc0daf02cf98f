"""Tables that are written by the system only: all of a row can be seen, nothing changed."""

from typing import Any

from django.db.models import BinaryField, Model
from django.http import HttpRequest, HttpResponse

from project.admin.searching import Searched


class Readable(Searched):
    """Every column is shown, but for bytes. `explained_as` is what explain calls such a row, if it can."""

    change_form_template = "admin/explained.html"
    explained_as = ""

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        """Return all columns, those too that forms leave out."""
        return [field.name for field in self.opts.fields if not isinstance(field, BinaryField)]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """Let the page link to the explanation."""
        context = {**(extra_context or {}), "explained_as": self.explained_as}
        return super().change_view(request, object_id, form_url, context)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody may."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Nobody may; who may view sees all fields."""
        return False
