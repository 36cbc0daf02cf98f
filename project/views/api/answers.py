"""Answers that no other module has a class for: their shapes, for the description of the API."""

from functools import cache
from typing import Any

from rest_framework import serializers
from rest_framework.serializers import Serializer

from project.models import ExportFormat, ExportStatus
from project.services.notifications.relations import OPPOSITE
from project.views.api.inbox_data import PersonRow


class Refusal(Serializer[Any]):
    """Why a request was not done."""

    error = serializers.CharField()


class Changed(Serializer[Any]):
    """How many issues were changed."""

    changed = serializers.IntegerField(min_value=0)


class Message(Serializer[Any]):
    """A word of success, for Plane's clients."""

    message = serializers.CharField()


class Subscribed(Serializer[Any]):
    """Whether the caller follows the issue."""

    subscribed = serializers.BooleanField()


class Muted(Serializer[Any]):
    """Whether the caller wants no mail about the issue."""

    muted = serializers.BooleanField()


class Archived(Serializer[Any]):
    """Since when the issue is archived."""

    archived_at = serializers.DateField(allow_null=True)


class Unread(Serializer[Any]):
    """How much waits in the inbox."""

    total_unread_notifications_count = serializers.IntegerField(min_value=0)
    mention_unread_notifications_count = serializers.IntegerField(min_value=0)


class Decided(Serializer[Any]):
    """Preferences that hold in a place, and the level they come from."""

    property_change = serializers.BooleanField()
    state_change = serializers.BooleanField()
    comment = serializers.BooleanField()
    mention = serializers.BooleanField()
    issue_completed = serializers.BooleanField()
    source = serializers.CharField()  # type: ignore[assignment]


class Opened(Message):
    """An export that was asked for, and where to ask how it is getting on."""

    id = serializers.UUIDField()
    token = serializers.CharField()
    status_url = serializers.URLField()


class ExportRow(Serializer[Any]):
    """An export."""

    id = serializers.UUIDField()
    token = serializers.CharField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    created_by = serializers.UUIDField(allow_null=True)
    updated_by = serializers.UUIDField(allow_null=True)
    initiated_by = serializers.UUIDField()
    initiated_by_detail = PersonRow()
    provider = serializers.ChoiceField(ExportFormat.values)
    project = serializers.ListField(child=serializers.UUIDField())
    multiple = serializers.BooleanField()
    filters = serializers.DictField(allow_null=True)
    time_zone = serializers.CharField()
    status = serializers.ChoiceField(ExportStatus.values)
    reason = serializers.CharField(allow_blank=True)
    progress = serializers.IntegerField(min_value=0, max_value=100, allow_null=True)
    rows_done = serializers.IntegerField(min_value=0)
    rows_total = serializers.IntegerField(min_value=0, allow_null=True)
    size = serializers.IntegerField(min_value=0, allow_null=True)
    cut_cells = serializers.IntegerField(min_value=0)
    ended_at = serializers.DateTimeField(allow_null=True)
    expires_at = serializers.DateTimeField(allow_null=True)
    url = serializers.URLField(allow_null=True)


class ExportWithLink(ExportRow):
    """An export, with a fresh link to its archive or the reason why there is none."""

    url_reason = serializers.CharField(allow_blank=True)


@cache
def related() -> Serializer[Any]:
    """Return the shape of an issue's relations: for each type the ids of the others."""
    lists = {kind: serializers.ListField(child=serializers.UUIDField()) for kind in OPPOSITE}
    return _made("Related", "Ids of other issues, by type of relation.", lists)


@cache
def numbered(row: type[Serializer[Any]]) -> Serializer[Any]:
    """Return the shape of a page of rows that is asked for by its number."""
    return _page(
        row,
        count=serializers.IntegerField(min_value=0),
        next=serializers.URLField(allow_null=True),
        previous=serializers.URLField(allow_null=True),
    )


@cache
def enveloped(row: type[Serializer[Any]]) -> Serializer[Any]:
    """Return the shape of a page of rows that is asked for by a cursor, as Plane has it."""
    numbers = ("total_count", "count", "total_pages", "total_results")
    return _page(
        row,
        grouped_by=serializers.CharField(allow_null=True),
        sub_grouped_by=serializers.CharField(allow_null=True),
        next_cursor=serializers.CharField(),
        prev_cursor=serializers.CharField(),
        next_page_results=serializers.BooleanField(),
        prev_page_results=serializers.BooleanField(),
        extra_stats=serializers.CharField(allow_null=True),
        **{number: serializers.IntegerField(min_value=0) for number in numbers},
    )


def _page(row: type[Serializer[Any]], **fields: serializers.Field[Any, Any, Any, Any]) -> Serializer[Any]:
    return _made(f"PageOf{row.__name__}", f"A page: {row.__doc__}", {**fields, "results": row(many=True)})


def _made(name: str, about: str, fields: dict[str, Any]) -> Serializer[Any]:
    made: type[Serializer[Any]] = type(name, (Serializer,), {"__doc__": about, **fields})
    return made()
