"""The description of the API (OpenAPI 3) and a page to read and try it."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerFieldExtension
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny

from project.models import ExportFormat
from project.views.api.operations import describe

describe()


class Description(SpectacularAPIView):
    """``/api/schema/``: nothing in it is secret."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class DescriptionPage(SpectacularSwaggerSplitView):
    """``/api/docs/``: the same for people, who can try what they may do."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class _Token(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "project.views.api.authentication.ApiTokenAuthentication"
    name = ["token", "apiKey"]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        return [
            {"type": "apiKey", "in": "header", "name": "Authorization", "description": "`Token <key>`"},
            {"type": "apiKey", "in": "header", "name": "X-Api-Key", "description": "The key alone."},
        ]


class _Field(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    shape: dict[str, Any]

    def map_serializer_field(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        return self.shape


class _Provider(_Field):  # type: ignore[no-untyped-call]
    target_class = "project.views.api.exports_body.Provider"
    shape = {"type": "string", "enum": ExportFormat.values}


class _Restriction(_Field):  # type: ignore[no-untyped-call]
    target_class = "project.views.api.exports_body.Restriction"
    shape = {"type": "object"}


class _Truth(_Field):  # type: ignore[no-untyped-call]
    target_class = "project.views.api.inbox_filters.Truth"
    shape = {"type": "boolean"}


class _Relations(_Field):  # type: ignore[no-untyped-call]
    target_class = "project.views.api.inbox_filters.Relations"
    shape = {
        "type": "string",
        "description": "all, or some of subscribed, assigned, created; commas between them",
    }


class _Hour(_Field):  # type: ignore[no-untyped-call]
    """Hours and minutes, where the usual description of a time would promise seconds."""

    target_class = "rest_framework.serializers.TimeField"
    shape = {"type": "string", "pattern": r"^\d\d:\d\d$"}
