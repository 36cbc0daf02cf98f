"""The in-app inbox and what a person wants to hear about."""

from enum import StrEnum

from django.conf import settings
from django.db import models
from django.db.models import Q

from project.models.audited import Audited, LiveManager
from project.models.project import Project
from project.models.workspace import Workspace


class Entity(StrEnum):
    """What a notification, or a line to mail, is about; the value of their ``entity_name``."""

    ISSUE = "issue"
    EXPORT = "export"


class Notification(Audited):
    """A row of somebody's inbox (Plane's ``notifications``).

    Its id is computed from the activity, the receiver and the kind, so a repeated fan-out cannot add a
    second one.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="+")
    data = models.JSONField(null=True)
    entity_identifier = models.UUIDField(null=True)
    entity_name = models.CharField(max_length=255)
    title = models.TextField()
    message = models.JSONField(null=True)
    message_html = models.TextField(default="<p></p>", blank=True)
    message_stripped = models.TextField(null=True, blank=True)
    sender = models.CharField(max_length=255)
    triggered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    receiver = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notifications")
    read_at = models.DateTimeField(null=True, blank=True)
    snoozed_till = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)

    objects = LiveManager["Notification"]()
    all_objects = models.Manager["Notification"]()

    class Meta(Audited.Meta):
        db_table = "notifications"
        indexes = [
            # Reader: the inbox, newest first.
            models.Index(fields=["receiver", "workspace", "-created_at"], name="notification_inbox"),
            # Reader: the unread counts.
            models.Index(
                fields=["receiver", "workspace"],
                condition=Q(read_at__isnull=True, archived_at__isnull=True, deleted_at__isnull=True),
                name="notification_unread",
            ),
            # Readers: "read?" when a digest is sealed; explain.
            models.Index(fields=["entity_identifier", "receiver"], name="notification_entity"),
        ]

    def __str__(self) -> str:
        return f"{self.sender} to {self.receiver_id}"


class UserNotificationPreference(Audited):
    """What a person wants mailed (Plane's ``user_notification_preferences``).

    Each flag decides its own kind alone. A row that names a project or workspace overrides the general one.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="notification_preferences"
    )
    workspace = models.ForeignKey(Workspace, models.CASCADE, null=True, blank=True, related_name="+")
    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="+")
    property_change = models.BooleanField(default=True)
    state_change = models.BooleanField(default=True)
    comment = models.BooleanField(default=True)
    mention = models.BooleanField(default=True)
    issue_completed = models.BooleanField(default=True)

    objects = LiveManager["UserNotificationPreference"]()
    all_objects = models.Manager["UserNotificationPreference"]()

    class Meta(Audited.Meta):
        db_table = "user_notification_preferences"
        indexes = [models.Index(fields=["user"], name="preference_user")]

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"
