"""Comments on issues."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from project.models.audited import InProject, LiveManager
from project.models.issue import Issue


class IssueComment(InProject):
    """What somebody said about an issue (Plane's ``issue_comments``)."""

    issue = models.ForeignKey(Issue, models.CASCADE, related_name="comments")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    comment_html = models.TextField(default="<p></p>", blank=True)
    comment_stripped = models.TextField(default="", blank=True)
    comment_json = models.JSONField(default=dict, blank=True)
    attachments = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    access = models.CharField(
        max_length=100, default="INTERNAL", choices=[("INTERNAL", "Internal"), ("EXTERNAL", "External")]
    )
    edited_at = models.DateTimeField(null=True, blank=True)
    parent = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="+")

    objects = LiveManager["IssueComment"]()
    all_objects = models.Manager["IssueComment"]()

    class Meta(InProject.Meta):
        db_table = "issue_comments"

    def __str__(self) -> str:
        return f"comment {self.id} on {self.issue_id}"
