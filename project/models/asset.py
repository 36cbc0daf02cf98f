"""Files that belong to something; the bytes are in an object store."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from project.models.audited import Audited, LiveManager
from project.models.comment import IssueComment
from project.models.issue import Issue
from project.models.project import Project
from project.models.workspace import Workspace

#: The type of those assets that are attachments of issues.
ATTACHMENT = "ISSUE_ATTACHMENT"


class FileAsset(Audited):
    """What is known of a file (Plane's ``file_assets``).

    ``asset`` is the object's key, ``attributes`` holds the name, the type and the size that its owner told.
    """

    attributes = models.JSONField(default=dict, blank=True)
    asset = models.CharField(max_length=800)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    workspace = models.ForeignKey(Workspace, models.CASCADE, null=True, related_name="+")
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="+")
    issue = models.ForeignKey(Issue, models.CASCADE, null=True, related_name="assets")
    comment = models.ForeignKey(IssueComment, models.CASCADE, null=True, related_name="+")
    entity_type = models.CharField(max_length=255, null=True, blank=True)
    entity_identifier = models.CharField(max_length=255, null=True, blank=True)
    is_deleted = models.BooleanField(default=False)
    is_archived = models.BooleanField(default=False)
    size = models.FloatField(default=0)
    is_uploaded = models.BooleanField(default=False)
    storage_metadata = models.JSONField(default=dict, null=True, blank=True)

    objects = LiveManager["FileAsset"]()
    all_objects = models.Manager["FileAsset"]()

    class Meta(Audited.Meta):
        db_table = "file_assets"
        indexes = [
            # Reader: the attachments of an issue.
            models.Index(
                fields=["issue", "created_at"],
                condition=Q(entity_type=ATTACHMENT, deleted_at__isnull=True),
                name="asset_attachments",
            )
        ]

    def __str__(self) -> str:
        return self.asset
