"""Relations between issues."""

from django.db import models
from django.db.models import Q

from project.models.audited import InProject, LiveManager
from project.models.issue import Issue


class RelationType(models.TextChoices):
    """What an issue is to its related issue."""

    DUPLICATE = "duplicate", "Duplicate"
    RELATES_TO = "relates_to", "Relates to"
    BLOCKED_BY = "blocked_by", "Blocked by"
    START_BEFORE = "start_before", "Start before"
    FINISH_BEFORE = "finish_before", "Finish before"
    IMPLEMENTED_BY = "implemented_by", "Implemented by"


#: What the related issue is to the issue, for each type, in Plane's words. Rows hold the types only.
MIRRORED = {
    RelationType.DUPLICATE: "duplicate",
    RelationType.RELATES_TO: "relates_to",
    RelationType.BLOCKED_BY: "blocking",
    RelationType.START_BEFORE: "start_after",
    RelationType.FINISH_BEFORE: "finish_after",
    RelationType.IMPLEMENTED_BY: "implements",
}


class IssueRelation(InProject):
    """An issue is in a relation to another one (Plane's ``issue_relations``)."""

    issue = models.ForeignKey(Issue, models.CASCADE, related_name="relations")
    related_issue = models.ForeignKey(Issue, models.CASCADE, related_name="+")
    relation_type = models.CharField(
        max_length=20, choices=RelationType.choices, default=RelationType.BLOCKED_BY
    )

    objects = LiveManager["IssueRelation"]()
    all_objects = models.Manager["IssueRelation"]()

    class Meta(InProject.Meta):
        db_table = "issue_relations"
        constraints = [
            models.UniqueConstraint(
                fields=["issue", "related_issue"],
                condition=Q(deleted_at__isnull=True),
                name="issue_relation_unique_live",
            )
        ]

    def __str__(self) -> str:
        return f"{self.issue_id} {self.relation_type} {self.related_issue_id}"
