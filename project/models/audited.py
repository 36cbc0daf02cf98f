"""What every table that Plane also has begins with: an id, who and when, and the soft delete."""

import uuid
from typing import Generic, TypeVar

from django.conf import settings
from django.db import models
from django.utils import timezone

M = TypeVar("M", bound=models.Model)


class LiveManager(models.Manager[M], Generic[M]):
    """Hides soft-deleted rows; ``all_objects`` shows them."""

    def get_queryset(self) -> models.QuerySet[M]:
        """Return the rows that are not soft-deleted."""
        return super().get_queryset().filter(deleted_at__isnull=True)


class Audited(models.Model):
    """Id, creation and change stamps, soft delete: the columns that Plane's tables share."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, editable=False, related_name="+"
    )
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        abstract = True
        base_manager_name = "all_objects"


class InProject(Audited):
    """A row that belongs to a project, and so to the project's workspace."""

    workspace = models.ForeignKey("project.Workspace", models.CASCADE, related_name="+")
    project = models.ForeignKey("project.Project", models.CASCADE, related_name="+")

    class Meta:
        abstract = True
        base_manager_name = "all_objects"
