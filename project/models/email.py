"""Lines that wait to be mailed."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from project.models.audited import Audited, LiveManager


class EmailNotificationLog(Audited):
    """One line for one receiver: a change, comment or mention to mail (Plane's ``email_notification_logs``).

    ``processed_at`` is written by the claim, in the transaction that also makes the digest; ``sent_at`` only
    once the mail went out. The id is computed from the activity, the receiver and the kind.
    """

    receiver = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    # PROTECT, where Plane cascades: a line that waits must not vanish with the person who caused it.
    triggered_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    entity_identifier = models.UUIDField(null=True)
    entity_name = models.CharField(max_length=255)
    data = models.JSONField(null=True)
    processed_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    entity = models.CharField(max_length=200, default="", blank=True)
    old_value = models.CharField(max_length=300, null=True, blank=True)
    new_value = models.CharField(max_length=300, null=True, blank=True)

    objects = LiveManager["EmailNotificationLog"]()
    all_objects = models.Manager["EmailNotificationLog"]()

    class Meta(Audited.Meta):
        db_table = "email_notification_logs"
        indexes = [
            # Reader: the claim. Only waiting lines are in it, so it stays as small as the backlog.
            models.Index(
                fields=["receiver", "entity_identifier", "created_at"],
                condition=Q(processed_at__isnull=True, deleted_at__isnull=True),
                name="email_log_waiting",
            ),
            # Reader: explain.
            models.Index(fields=["entity_identifier", "receiver"], name="email_log_entity"),
        ]

    def __str__(self) -> str:
        return f"line {self.id} for {self.receiver_id}"
