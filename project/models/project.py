"""Projects and who belongs to them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from project.models.audited import Audited, InProject, LiveManager
from project.models.workspace import Role, Workspace


class Project(Audited):
    """A project of a workspace (Plane's ``projects``)."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="projects")
    name = models.CharField(max_length=255)
    identifier = models.CharField(max_length=12)
    description = models.TextField(default="", blank=True)
    network = models.SmallIntegerField(default=2, choices=[(0, "Secret"), (2, "Public")])
    default_assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    project_lead = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    default_state = models.ForeignKey(
        "project.State", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    archive_in = models.IntegerField(default=0)
    close_in = models.IntegerField(default=0)
    archived_at = models.DateTimeField(null=True, blank=True)
    guest_view_all_features = models.BooleanField(default=False)
    timezone = models.CharField(max_length=255, default="UTC")

    objects = LiveManager["Project"]()
    all_objects = models.Manager["Project"]()

    class Meta(Audited.Meta):
        db_table = "projects"
        constraints = [
            models.UniqueConstraint(
                fields=["identifier", "workspace"],
                condition=Q(deleted_at__isnull=True),
                name="project_unique_identifier_live",
            ),
            models.UniqueConstraint(
                fields=["name", "workspace"],
                condition=Q(deleted_at__isnull=True),
                name="project_unique_name_live",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ProjectMember(InProject):
    """A person's place in a project (Plane's ``project_members``)."""

    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    role = models.SmallIntegerField(choices=Role.choices, default=Role.GUEST)
    is_active = models.BooleanField(default=True)
    comment = models.TextField(null=True, blank=True)
    sort_order = models.FloatField(default=65535)

    objects = LiveManager["ProjectMember"]()
    all_objects = models.Manager["ProjectMember"]()

    class Meta(InProject.Meta):
        db_table = "project_members"
        constraints = [
            models.UniqueConstraint(
                fields=["project", "member"],
                condition=Q(deleted_at__isnull=True),
                name="project_member_unique_live",
            )
        ]

    def __str__(self) -> str:
        return f"{self.member_id} in {self.project_id}"
