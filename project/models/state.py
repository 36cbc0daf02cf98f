"""Workflow states."""

from django.db import models
from django.db.models import Q

from project.models.audited import InProject, LiveManager


class StateGroup(models.TextChoices):
    """What a state means, whatever a project calls it."""

    BACKLOG = "backlog", "Backlog"
    UNSTARTED = "unstarted", "Unstarted"
    STARTED = "started", "Started"
    COMPLETED = "completed", "Completed"
    CANCELLED = "cancelled", "Cancelled"
    TRIAGE = "triage", "Triage"


class State(InProject):
    """A column of a project's board (Plane's ``states``)."""

    name = models.CharField(max_length=255)
    description = models.TextField(default="", blank=True)
    color = models.CharField(max_length=255, default="#60646c")
    slug = models.SlugField(max_length=100, default="", blank=True)
    sequence = models.FloatField(default=65535)
    group = models.CharField(max_length=20, choices=StateGroup.choices, default=StateGroup.BACKLOG)
    is_triage = models.BooleanField(default=False)
    default = models.BooleanField(default=False)

    objects = LiveManager["State"]()
    all_objects = models.Manager["State"]()

    class Meta(InProject.Meta):
        db_table = "states"
        constraints = [
            models.UniqueConstraint(
                fields=["name", "project"],
                condition=Q(deleted_at__isnull=True),
                name="state_unique_name_live",
            )
        ]

    def __str__(self) -> str:
        return self.name
