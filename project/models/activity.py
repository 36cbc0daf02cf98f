"""The history of an issue: one row a changed field or comment."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from project.models.audited import InProject, LiveManager
from project.models.comment import IssueComment
from project.models.issue import Issue

#: Tells, in the comment of an activity without an actor, that nobody did it; why follows.
AUTOMATICALLY = "automatically"

#: Columns that a machine keeps. If somebody else's software records them, they are told to nobody.
MACHINE_FIELDS = frozenset({"sort_order", "sequence_id", "completed_at"})


class IssueActivity(InProject):
    """One changed field or comment of an event (Plane's ``issue_activities``).

    ``created_at`` grows strictly within an issue (the writer holds the issue's row lock), so it *is* the order
    of what happened, whatever the clocks of the web hosts say.
    """

    issue = models.ForeignKey(Issue, models.CASCADE, null=True, related_name="activities")
    verb = models.CharField(max_length=255, default="created")
    field = models.CharField(max_length=255, null=True, blank=True)
    old_value = models.TextField(null=True, blank=True)
    new_value = models.TextField(null=True, blank=True)
    comment = models.TextField(default="", blank=True)
    attachments = ArrayField(models.CharField(max_length=200), default=list, blank=True)
    issue_comment = models.ForeignKey(
        IssueComment, models.SET_NULL, null=True, blank=True, related_name="activities"
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    old_identifier = models.UUIDField(null=True, blank=True)
    new_identifier = models.UUIDField(null=True, blank=True)
    epoch = models.FloatField(null=True, blank=True)

    objects = LiveManager["IssueActivity"]()
    all_objects = models.Manager["IssueActivity"]()

    class Meta(InProject.Meta):
        db_table = "issue_activities"
        # Reader: record (the newest activity of an issue), the digest (an issue's changes in a window).
        indexes = [models.Index(fields=["issue", "created_at"], name="activity_issue_time")]

    def __str__(self) -> str:
        return f"{self.verb} {self.field or 'issue'} of {self.issue_id}"

    @property
    def automatic(self) -> str:
        """Say why this happened by itself, "automatically after 3 months …"; empty if somebody did it."""
        _, found, why = self.comment.partition(AUTOMATICALLY)
        return "" if self.actor_id else f"{found}{why}"
