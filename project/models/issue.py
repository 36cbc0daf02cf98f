"""Issues and the people around them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from project.models.audited import InProject, LiveManager
from project.models.estimate import EstimatePoint
from project.models.state import State


class Priority(models.TextChoices):
    """How much an issue presses."""

    URGENT = "urgent", "Urgent"
    HIGH = "high", "High"
    MEDIUM = "medium", "Medium"
    LOW = "low", "Low"
    NONE = "none", "None"


class Issue(InProject):
    """A piece of work (Plane's ``issues``)."""

    name = models.CharField(max_length=255)
    description_json = models.JSONField(default=dict, blank=True)
    description_html = models.TextField(default="<p></p>", blank=True)
    description_stripped = models.TextField(null=True, blank=True)
    priority = models.CharField(max_length=30, choices=Priority.choices, default=Priority.NONE)
    state = models.ForeignKey(State, models.CASCADE, null=True, blank=True, related_name="+")
    parent = models.ForeignKey("self", models.CASCADE, null=True, blank=True, related_name="sub_issues")
    point = models.IntegerField(null=True, blank=True)
    estimate_point = models.ForeignKey(
        EstimatePoint, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    start_date = models.DateField(null=True, blank=True)
    target_date = models.DateField(null=True, blank=True)
    sequence_id = models.IntegerField(default=1)
    sort_order = models.FloatField(default=65535)
    completed_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateField(null=True, blank=True)
    is_draft = models.BooleanField(default=False)

    objects = LiveManager["Issue"]()
    all_objects = models.Manager["Issue"]()

    class Meta(InProject.Meta):
        db_table = "issues"
        constraints = [
            # Two writers that got past the project's lock cannot both give out the same number.
            models.UniqueConstraint(fields=["project", "sequence_id"], name="issue_unique_sequence")
        ]

    def __str__(self) -> str:
        return self.name


class IssueAssignee(InProject):
    """Somebody works on an issue (Plane's ``issue_assignees``)."""

    issue = models.ForeignKey(Issue, models.CASCADE, related_name="assignee_links")
    assignee = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")

    objects = LiveManager["IssueAssignee"]()
    all_objects = models.Manager["IssueAssignee"]()

    class Meta(InProject.Meta):
        db_table = "issue_assignees"
        constraints = [
            models.UniqueConstraint(
                fields=["issue", "assignee"],
                condition=Q(deleted_at__isnull=True),
                name="issue_assignee_unique_live",
            )
        ]

    def __str__(self) -> str:
        return f"{self.assignee_id} on {self.issue_id}"


class IssueSubscriber(InProject):
    """Somebody follows an issue (Plane's ``issue_subscribers``).

    A soft-deleted row without a live one says that the person *left*: acting on the issue does not bring
    them back, only subscribing, a new assignment or a mention does.
    """

    issue = models.ForeignKey(Issue, models.CASCADE, related_name="subscriber_links")
    subscriber = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")

    objects = LiveManager["IssueSubscriber"]()
    all_objects = models.Manager["IssueSubscriber"]()

    class Meta(InProject.Meta):
        db_table = "issue_subscribers"
        constraints = [
            models.UniqueConstraint(
                fields=["issue", "subscriber"],
                condition=Q(deleted_at__isnull=True),
                name="issue_subscriber_unique_live",
            )
        ]

    def __str__(self) -> str:
        return f"{self.subscriber_id} follows {self.issue_id}"


class IssueMention(InProject):
    """Somebody is mentioned in an issue's description (Plane's ``issue_mentions``)."""

    issue = models.ForeignKey(Issue, models.CASCADE, related_name="mention_links")
    mention = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")

    objects = LiveManager["IssueMention"]()
    all_objects = models.Manager["IssueMention"]()

    class Meta(InProject.Meta):
        db_table = "issue_mentions"
        constraints = [
            models.UniqueConstraint(
                fields=["issue", "mention"],
                condition=Q(deleted_at__isnull=True),
                name="issue_mention_unique_live",
            )
        ]

    def __str__(self) -> str:
        return f"{self.mention_id} in {self.issue_id}"
