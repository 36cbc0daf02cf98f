"""Addresses that are not mailed, and why."""

from django.db import models
from django.db.models import Q

from project.models.digest import EmailDigest


class SuppressedAddress(models.Model):
    """A refusal of an address, or of a whole domain (``@example.org``).

    It holds until ``until`` (for good if that is null) or until somebody clears it. One whose ``until`` is its
    beginning never holds: such refusals are only counted. It belongs to the address, not to the person: who
    changes the address leaves it behind.
    """

    class Reason(models.TextChoices):
        """Why.

        UNKNOWN: there is no such mailbox. FULL: the mailbox is full. POLICY: the receiver's server refuses
        our mail for now. COMPLAINT: the receiver told the mail provider that they do not want our mail.
        """

        UNKNOWN = "unknown", "No such mailbox"
        FULL = "full", "Mailbox full"
        POLICY = "policy", "Refused by policy"
        COMPLAINT = "complaint", "Marked as unwanted"

    address = models.CharField(max_length=255)  # normalised: in lower case, the domain in punycode
    reason = models.CharField(max_length=16, choices=Reason.choices)
    source = models.ForeignKey(EmailDigest, models.SET_NULL, null=True, blank=True, related_name="+")
    evidence = models.TextField()
    since = models.DateTimeField()
    until = models.DateTimeField(null=True, blank=True)
    cleared_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "suppressed_addresses"
        verbose_name_plural = "suppressed addresses"
        constraints = [
            models.CheckConstraint(
                name="suppression_ends_after_it_begins",
                condition=Q(until__isnull=True) | Q(until__gte=models.F("since")),
            )
        ]
        indexes = [
            # Reader: every attempt.
            models.Index(fields=["address", "since"], name="suppressed_address"),
            # Reader: "were many domains refused alike just now?".
            models.Index(fields=["since"], name="suppressed_since"),
        ]

    def __str__(self) -> str:
        return f"{self.address}: {self.reason}"
