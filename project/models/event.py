"""Events: the outbox row that a change of an issue leaves behind, in its own transaction."""

import uuid
from collections.abc import Mapping

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from project.models.issue import Issue
from project.models.project import Project
from project.models.workspace import Workspace


class EventStatus(models.TextChoices):
    """Where an event stands: written, turned into notifications and mail rows, or given up visibly."""

    PENDING = "pending", "Pending"
    FANNED_OUT = "fanned_out", "Fanned out"
    FAILED = "failed", "Failed"


class IssueEvent(models.Model):
    """Something happened to an issue; its fan-out makes notifications and log rows.

    Everything the fan-out needs and that may change afterwards is frozen here: which activities were
    written, and who was newly mentioned. Events of one act on many issues have the same `bulk_id`. An event
    without an actor was brought about by a rule of the project, or its actor is gone.
    """

    NEXT: Mapping[EventStatus, frozenset[EventStatus]] = {
        EventStatus.PENDING: frozenset({EventStatus.FANNED_OUT, EventStatus.FAILED}),
        EventStatus.FANNED_OUT: frozenset(),
        EventStatus.FAILED: frozenset({EventStatus.PENDING}),
    }

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    issue = models.ForeignKey(Issue, models.CASCADE, related_name="events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    kind = models.CharField(max_length=64)
    activity_ids = ArrayField(models.UUIDField())
    mentioned_ids = ArrayField(models.UUIDField(), default=list, blank=True)
    bulk_id = models.UUIDField(null=True, blank=True)
    occurred_at = models.DateTimeField(default=timezone.now)

    status = models.CharField(max_length=16, choices=EventStatus.choices, default=EventStatus.PENDING)
    dispatch = models.PositiveIntegerField(default=1)
    attempts = models.PositiveIntegerField(default=0)
    enqueued_at = models.DateTimeField(default=timezone.now)
    fanned_out_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(default="", blank=True)

    class Meta:
        db_table = "issue_events"
        constraints = [
            models.CheckConstraint(
                name="event_fanned_out_has_time",
                condition=Q(status=EventStatus.FANNED_OUT, fanned_out_at__isnull=False)
                | (~Q(status=EventStatus.FANNED_OUT) & Q(fanned_out_at__isnull=True)),
            ),
            models.CheckConstraint(
                name="event_failed_has_reason", condition=~Q(status=EventStatus.FAILED) | ~Q(reason="")
            ),
        ]
        indexes = [
            # Readers: the sweep and the "oldest due" figure. Finished events are not in it.
            models.Index(
                fields=["enqueued_at"], condition=Q(status=EventStatus.PENDING), name="event_pending"
            ),
            # Reader: the operators' list of failed events.
            models.Index(fields=["occurred_at"], condition=Q(status=EventStatus.FAILED), name="event_failed"),
            models.Index(fields=["issue", "occurred_at"], name="event_issue_time"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.issue_id}"
