"""Links from issues to somewhere else."""

from django.db import models

from project.models.audited import InProject, LiveManager
from project.models.issue import Issue


class IssueLink(InProject):
    """An address that belongs to an issue (Plane's ``issue_links``)."""

    issue = models.ForeignKey(Issue, models.CASCADE, related_name="links")
    url = models.TextField()
    title = models.CharField(max_length=255, null=True, blank=True)
    metadata = models.JSONField(default=dict, blank=True)

    objects = LiveManager["IssueLink"]()
    all_objects = models.Manager["IssueLink"]()

    class Meta(InProject.Meta):
        db_table = "issue_links"

    def __str__(self) -> str:
        return self.title or self.url
