"""Notifications as JSON, in Plane's shape."""

from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from project.models import Notification, User
from project.services.notifications.inbox import MENTION_SENDER
from project.views.api.parsing import KnownFields


class PersonRow(serializers.ModelSerializer[User]):
    """Somebody, in as many words as a list needs."""

    class Meta:
        model = User
        fields = ["id", "first_name", "last_name", "avatar", "is_bot", "display_name"]


class NotificationRow(serializers.ModelSerializer[Notification]):
    """A notification. Intake, which Plane's rows also speak of, is not there: it is always false."""

    triggered_by_details = PersonRow(source="triggered_by")
    is_mentioned_notification = serializers.SerializerMethodField()
    is_inbox_issue = serializers.BooleanField(default=False, read_only=True)
    is_intake_issue = serializers.BooleanField(default=False, read_only=True)

    class Meta:
        model = Notification
        fields = [
            "id",
            "created_at",
            "updated_at",
            "data",
            "entity_identifier",
            "entity_name",
            "title",
            "message",
            "message_html",
            "message_stripped",
            "sender",
            "triggered_by",
            "triggered_by_details",
            "receiver",
            "read_at",
            "snoozed_till",
            "archived_at",
            "workspace",
            "project",
            "is_mentioned_notification",
            "is_inbox_issue",
            "is_intake_issue",
        ]

    def get_is_mentioned_notification(self, row: Notification) -> bool:
        """Tell whether it tells of a mention."""
        return row.sender == MENTION_SENDER


class SnoozeBody(KnownFields):
    """The one thing that can be set on a notification."""

    snoozed_till = serializers.DateTimeField(allow_null=True)

    def validate_snoozed_till(self, until: datetime | None) -> datetime | None:
        """Refuse the past: it would hide nothing."""
        if until is not None and until <= timezone.now():
            raise serializers.ValidationError("Must lie in the future, or be null.")
        return until

    def until(self) -> datetime | None:
        """Return what was sent.

        Raises:
            ValidationError: naming what is wrong with it.
        """
        self.is_valid(raise_exception=True)
        until: datetime | None = self.validated_data["snoozed_till"]
        return until


def shown(rows: Any) -> Any:
    """Return rows, which come with who triggered them, as JSON."""
    return NotificationRow(rows, many=True).data
