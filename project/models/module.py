"""Modules and the issues that belong to them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from project.models.audited import InProject, LiveManager
from project.models.issue import Issue


class ModuleStatus(models.TextChoices):
    """How far a module has come."""

    BACKLOG = "backlog", "Backlog"
    PLANNED = "planned", "Planned"
    IN_PROGRESS = "in-progress", "In progress"
    PAUSED = "paused", "Paused"
    COMPLETED = "completed", "Completed"
    CANCELLED = "cancelled", "Cancelled"


class Module(InProject):
    """A part of a project with dates of its own (Plane's ``modules``)."""

    name = models.CharField(max_length=255)
    description = models.TextField(default="", blank=True)
    status = models.CharField(max_length=20, choices=ModuleStatus.choices, default=ModuleStatus.PLANNED)
    start_date = models.DateField(null=True, blank=True)
    target_date = models.DateField(null=True, blank=True)
    lead = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    archived_at = models.DateTimeField(null=True, blank=True)

    objects = LiveManager["Module"]()
    all_objects = models.Manager["Module"]()

    class Meta(InProject.Meta):
        db_table = "modules"
        constraints = [
            models.UniqueConstraint(
                fields=["name", "project"],
                condition=Q(deleted_at__isnull=True),
                name="module_unique_name_live",
            )
        ]

    def __str__(self) -> str:
        return self.name


class ModuleIssue(InProject):
    """An issue belongs to a module (Plane's ``module_issues``)."""

    issue = models.ForeignKey(Issue, models.CASCADE, related_name="module_links")
    module = models.ForeignKey(Module, models.CASCADE, related_name="+")

    objects = LiveManager["ModuleIssue"]()
    all_objects = models.Manager["ModuleIssue"]()

    class Meta(InProject.Meta):
        db_table = "module_issues"
        constraints = [
            models.UniqueConstraint(
                fields=["issue", "module"],
                condition=Q(deleted_at__isnull=True),
                name="module_issue_unique_live",
            )
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} in {self.module_id}"
