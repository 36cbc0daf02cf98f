"""Whether mail flows, and the failures that decide about it."""

from datetime import datetime

from django.db import models
from django.db.models import Q


class MailBreaker(models.Model):
    """The breaker of one sender configuration: the mail server, the account and the sender's address.

    It is open, and mail is stopped, while ``opened_at`` is set; then one mail may be tried at ``probe_at``.
    """

    sender = models.CharField(max_length=64, primary_key=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    cause = models.TextField(default="", blank=True)  # of the last opening
    probes = models.PositiveIntegerField(default=0)
    probe_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "mail_breakers"
        constraints = [
            models.CheckConstraint(
                name="breaker_open_is_probed",
                condition=Q(opened_at__isnull=True, probe_at__isnull=True)
                | Q(opened_at__isnull=False, probe_at__isnull=False) & ~Q(cause=""),
            )
        ]

    def __str__(self) -> str:
        return f"mail stopped: {self.cause}" if self.opened_at else "mail flows"

    def probe_due(self, now: datetime) -> bool:
        """Whether mail is stopped and may be probed."""
        return self.probe_at is not None and self.probe_at <= now


class MailFailure(models.Model):
    """A mail that failed in a way that may lie with the sender. Kept for the few minutes that are counted."""

    sender = models.CharField(max_length=64)
    kind = models.CharField(max_length=16)
    at = models.DateTimeField()

    class Meta:
        db_table = "mail_failures"
        indexes = [models.Index(fields=["sender", "at"], name="mail_failure_recent")]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at}"
