"""Issues as JSON: what clients send and what they get."""

from typing import Any, cast

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, QuerySet, Subquery
from rest_framework import serializers

from project.models import CycleIssue, Issue, IssueAssignee, IssueLabel, ModuleIssue, Priority
from project.services.notifications.values import IssueValues
from project.views.api.parsing import Choice, KnownFields, Text

#: What Plane's public API calls some of the fields.
_OTHER_NAMES = {
    "state": "state_id",
    "assignees": "assignee_ids",
    "labels": "label_ids",
    "parent": "parent_id",
}


class IssueBody(KnownFields):
    """What can be set on an issue. What the ids refer to is checked where the change is made."""

    name = Text(max_length=255)
    description_html = Text(required=False, allow_blank=True, trim_whitespace=False)
    state_id = serializers.UUIDField(required=False)
    priority = Choice(Priority.values)
    estimate_point = serializers.UUIDField(required=False, allow_null=True, source="estimate_point_id")
    assignee_ids = serializers.ListField(required=False, child=serializers.UUIDField())
    label_ids = serializers.ListField(required=False, child=serializers.UUIDField())
    start_date = serializers.DateField(required=False, allow_null=True)
    target_date = serializers.DateField(required=False, allow_null=True)
    parent_id = serializers.UUIDField(required=False, allow_null=True)
    state = serializers.UUIDField(required=False)
    assignees = serializers.ListField(required=False, child=serializers.UUIDField())
    labels = serializers.ListField(required=False, child=serializers.UUIDField())
    # The metaclass takes fields off the class, so the serializer's own `parent` stays what it is.
    parent = serializers.UUIDField(required=False, allow_null=True)  # type: ignore[assignment]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Return the values by our names; one that was sent by both names must be the same."""
        for other, name in _OTHER_NAMES.items():
            if other in attrs:
                value = attrs.pop(other)
                if attrs.setdefault(name, value) != value:
                    raise serializers.ValidationError({other: [f"Is not what {name} is."]})
        return attrs

    def values(self) -> IssueValues:
        """Return what was sent.

        Raises:
            ValidationError: naming each field that is wrong.
        """
        self.is_valid(raise_exception=True)
        return cast(IssueValues, self.validated_data)


class IssueRow(serializers.ModelSerializer[Issue]):
    """An issue of a list."""

    assignee_ids = serializers.ListField(child=serializers.UUIDField())
    label_ids = serializers.ListField(child=serializers.UUIDField())
    module_ids = serializers.ListField(child=serializers.UUIDField())
    cycle_id = serializers.UUIDField(allow_null=True)

    class Meta:
        model = Issue
        fields = [
            "id",
            "name",
            "sequence_id",
            "priority",
            "state_id",
            "parent_id",
            "assignee_ids",
            "label_ids",
            "cycle_id",
            "module_ids",
            "estimate_point",
            "start_date",
            "target_date",
            "completed_at",
            "archived_at",
            "created_at",
            "created_by",
            "updated_at",
            "updated_by",
            "project_id",
            "workspace_id",
        ]


class IssueDetail(IssueRow):
    """An issue with its description."""

    class Meta(IssueRow.Meta):
        fields = [*IssueRow.Meta.fields, "description_html", "description_stripped"]


def with_links(issues: QuerySet[Issue]) -> QuerySet[Issue]:
    """Load the ids of what an issue is linked to in the same query."""

    def linked(
        model: type[IssueAssignee | IssueLabel | ModuleIssue | CycleIssue], column: str
    ) -> QuerySet[Any]:
        rows: QuerySet[Any] = model.objects.filter(issue=OuterRef("pk"))
        return rows.order_by("created_at", "id").values(column)

    return issues.annotate(
        assignee_ids=ArraySubquery(linked(IssueAssignee, "assignee_id")),
        label_ids=ArraySubquery(linked(IssueLabel, "label_id")),
        module_ids=ArraySubquery(linked(ModuleIssue, "module_id")),
        cycle_id=Subquery(linked(CycleIssue, "cycle_id")[:1]),
    )
