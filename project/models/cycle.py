"""Cycles and the issues planned for them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from project.models.audited import InProject, LiveManager
from project.models.issue import Issue


class Cycle(InProject):
    """A stretch of time that issues are planned for (Plane's ``cycles``).

    Both ends are midnights in the time zone of the project.
    """

    name = models.CharField(max_length=255)
    description = models.TextField(default="", blank=True)
    start_date = models.DateTimeField(null=True, blank=True)
    end_date = models.DateTimeField(null=True, blank=True)
    owned_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    archived_at = models.DateTimeField(null=True, blank=True)
    timezone = models.CharField(max_length=255, default="UTC")
    version = models.IntegerField(default=1)
    progress_snapshot = models.JSONField(default=dict, blank=True)

    objects = LiveManager["Cycle"]()
    all_objects = models.Manager["Cycle"]()

    class Meta(InProject.Meta):
        db_table = "cycles"

    def __str__(self) -> str:
        return self.name


class CycleIssue(InProject):
    """An issue is planned for a cycle (Plane's ``cycle_issues``)."""

    issue = models.ForeignKey(Issue, models.CASCADE, related_name="cycle_links")
    cycle = models.ForeignKey(Cycle, models.CASCADE, related_name="+")

    objects = LiveManager["CycleIssue"]()
    all_objects = models.Manager["CycleIssue"]()

    class Meta(InProject.Meta):
        db_table = "cycle_issues"
        constraints = [
            models.UniqueConstraint(
                fields=["cycle", "issue"],
                condition=Q(deleted_at__isnull=True),
                name="cycle_issue_unique_live",
            )
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} in {self.cycle_id}"
