"""Workspaces and who belongs to them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from project.models.audited import Audited, LiveManager


class Role(models.IntegerChoices):
    """What a member may do, in a workspace and in a project."""

    GUEST = 5, "Guest"
    MEMBER = 15, "Member"
    ADMIN = 20, "Admin"


class Workspace(Audited):
    """A company or team (Plane's ``workspaces``)."""

    name = models.CharField(max_length=80)
    slug = models.SlugField(max_length=48, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    organization_size = models.CharField(max_length=20, null=True, blank=True)
    timezone = models.CharField(max_length=255, default="UTC")

    objects = LiveManager["Workspace"]()
    all_objects = models.Manager["Workspace"]()

    class Meta(Audited.Meta):
        db_table = "workspaces"

    def __str__(self) -> str:
        return self.name


class WorkspaceMember(Audited):
    """A person's place in a workspace (Plane's ``workspace_members``)."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="members")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    role = models.SmallIntegerField(choices=Role.choices, default=Role.GUEST)
    is_active = models.BooleanField(default=True)
    company_role = models.TextField(null=True, blank=True)

    objects = LiveManager["WorkspaceMember"]()
    all_objects = models.Manager["WorkspaceMember"]()

    class Meta(Audited.Meta):
        db_table = "workspace_members"
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "member"],
                condition=Q(deleted_at__isnull=True),
                name="workspace_member_unique_live",
            )
        ]

    def __str__(self) -> str:
        return f"{self.member_id} in {self.workspace_id}"
