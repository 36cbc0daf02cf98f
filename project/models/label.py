"""Labels and which issues carry them."""

from django.db import models
from django.db.models import Q

from project.models.audited import Audited, InProject, LiveManager
from project.models.project import Project
from project.models.workspace import Workspace


class Label(Audited):
    """A label of a project, or of the whole workspace if it names no project (Plane's ``labels``)."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="labels")
    name = models.CharField(max_length=255)
    description = models.TextField(default="", blank=True)
    color = models.CharField(max_length=255, default="", blank=True)
    sort_order = models.FloatField(default=65535)

    objects = LiveManager["Label"]()
    all_objects = models.Manager["Label"]()

    class Meta(Audited.Meta):
        db_table = "labels"
        constraints = [
            models.UniqueConstraint(
                fields=["project", "name"],
                condition=Q(deleted_at__isnull=True),
                name="label_unique_name_live",
            )
        ]

    def __str__(self) -> str:
        return self.name


class IssueLabel(InProject):
    """A label on an issue (Plane's ``issue_labels``)."""

    issue = models.ForeignKey("project.Issue", models.CASCADE, related_name="label_links")
    label = models.ForeignKey(Label, models.CASCADE, related_name="+")

    objects = LiveManager["IssueLabel"]()
    all_objects = models.Manager["IssueLabel"]()

    class Meta(InProject.Meta):
        db_table = "issue_labels"

    def __str__(self) -> str:
        return f"{self.label_id} on {self.issue_id}"
