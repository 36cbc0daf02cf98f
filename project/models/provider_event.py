"""What the mail provider told us about mails that we gave it."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from project.models.digest import EmailDigest


class MailProviderEvent(models.Model):
    """One event of a provider about one receiver, as it came, and what followed from it.

    Its id is computed from the provider's name for the event, so the same event is kept once, however often it
    is posted. ``kind`` and ``reject_reason`` are anymail's words, the same for all providers.
    """

    id = models.UUIDField(primary_key=True, editable=False)
    provider = models.CharField(max_length=32)
    # What a signature is for, if it is not for the event itself: good for one event.
    token = models.CharField(max_length=255, null=True, unique=True, editable=False)
    kind = models.CharField(max_length=32)
    reject_reason = models.CharField(max_length=32, default="", blank=True)
    recipient = models.CharField(max_length=255, default="", blank=True)
    words = models.TextField(default="", blank=True)  # of the receiver's server, or else of the provider
    permanent = models.BooleanField(default=False)  # the provider does not expect it to change
    raw = models.TextField()  # JSON as text: jsonb refuses some of what JSON can hold
    happened_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    dispatch = models.PositiveIntegerField(default=1)
    enqueued_at = models.DateTimeField(null=True, blank=True)
    processed_at = models.DateTimeField(null=True, blank=True)
    digest = models.ForeignKey(EmailDigest, models.SET_NULL, null=True, blank=True, related_name="+")
    outcome = models.TextField(default="", blank=True)

    class Meta:
        db_table = "mail_provider_events"
        constraints = [
            models.CheckConstraint(
                name="provider_event_processed_has_outcome",
                condition=Q(processed_at__isnull=True, outcome="")
                | Q(processed_at__isnull=False) & ~Q(outcome=""),
            )
        ]
        indexes = [
            # Readers: the clean-up, the list of the operators.
            models.Index(fields=["created_at"], name="provider_event_created"),
            # Reader: the sweep.
            models.Index(
                fields=["created_at"], condition=Q(processed_at__isnull=True), name="provider_event_open"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.provider}: {self.kind} {self.recipient}"
