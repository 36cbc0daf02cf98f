"""What a client sends to ask for an export."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from project.models import ExportFormat
from project.services.exports.filters import Filters
from project.services.exports.wish import Wish
from project.views.api.parsing import Flag, KnownFields, Text

SHOWN = 50  # characters of what was sent that an answer repeats


class Provider(serializers.Field[ExportFormat, Any, str, Any]):
    """The kind of file; refused in Plane's words."""

    default_error_messages = {
        "invalid": "Must be a text.",
        "unknown": f"Provider {{name}} not found. There are: {', '.join(ExportFormat.values)}.",
    }

    def to_internal_value(self, data: Any) -> ExportFormat:
        """Return the format."""
        if not isinstance(data, str):
            self.fail("invalid")
        if data not in ExportFormat.values:
            self.fail("unknown", name=ascii(data[:SHOWN]))
        return ExportFormat(data)


class Restriction(serializers.Field[Filters, Any, Any, Any]):
    """The filters, as the service reads them."""

    default_error_messages = {"invalid": "Must be an object."}

    def to_internal_value(self, data: Any) -> Filters:
        """Return the filters."""
        if not isinstance(data, Mapping):
            self.fail("invalid")
        try:
            return Filters.from_json(data)
        except ValueError as error:
            # It names what was sent, which may be no Unicode that can be sent back.
            why = str(error).encode("utf-8", "backslashreplace").decode()
            raise serializers.ValidationError(f"{why[0].upper()}{why[1:]}.") from error


class ExportBody(KnownFields):
    """What can be asked for. Whether the projects are the caller's is checked where the export is opened."""

    provider = Provider()
    project = serializers.ListField(required=False, child=serializers.UUIDField())
    multiple = Flag(default=False)
    filters = Restriction(default=Filters)
    time_zone = Text(required=False, max_length=255)

    def wish(self, time_zone: str) -> Wish:
        """Return what was sent; `time_zone` holds if none was.

        Raises:
            ValidationError: naming each field that is wrong.
        """
        self.is_valid(raise_exception=True)
        values = self.validated_data
        return Wish(
            provider=values["provider"],
            projects=frozenset(values.get("project", ())) or None,
            multiple=values["multiple"],
            filters=values["filters"],
            time_zone=values.get("time_zone", time_zone),
        )
