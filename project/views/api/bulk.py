"""Changes of many issues by one request: all of them or, if anything is refused, none."""

from typing import Any, cast

from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from project.models import Priority, Role, Wake
from project.services.notifications.archiving import archive_many
from project.services.notifications.many import delete_issues, update_issues
from project.services.notifications.values import IssueValues
from project.views.api.issue_ids import IssueIds
from project.views.api.parsing import Choice, KnownFields
from project.views.api.project_view import ProjectView
from project.views.api.sending import send


class BulkProperties(KnownFields):
    """What can be set on many issues."""

    state_id = serializers.UUIDField(required=False)
    priority = Choice(Priority.values)
    estimate_point = serializers.UUIDField(required=False, allow_null=True, source="estimate_point_id")
    start_date = serializers.DateField(required=False, allow_null=True)
    target_date = serializers.DateField(required=False, allow_null=True)
    assignee_ids = serializers.ListField(required=False, child=serializers.UUIDField())
    label_ids = serializers.ListField(required=False, child=serializers.UUIDField())
    module_ids = serializers.ListField(required=False, child=serializers.UUIDField())
    cycle_id = serializers.UUIDField(required=False, allow_null=True)

    def to_internal_value(self, data: Any) -> IssueValues:
        """Return the values."""
        values: dict[str, Any] = super().to_internal_value(data)
        if "cycle_id" in values:
            cycle = values.pop("cycle_id")
            values["cycle_ids"] = [cycle] if cycle else []
        return cast(IssueValues, values)


class SomeIssues(KnownFields):
    """The issues that are meant."""

    issue_ids = IssueIds()


class BulkBody(SomeIssues):
    """The issues and what to set on them."""

    properties = BulkProperties()


class BulkView(ProjectView):
    """A view of many issues, for members; the answers say how many have changed."""

    def body(self, request: Request, form: type[KnownFields]) -> dict[str, Any]:
        """Return what was sent."""
        self.refuse_guests()
        body = form(data=request.data)
        body.is_valid(raise_exception=True)
        values: dict[str, Any] = body.validated_data
        return values

    def done(self, wakes: list[Wake]) -> Response:
        """Send the wake-ups and answer."""
        send(wakes)
        return Response({"changed": len(wakes)})


class BulkUpdate(BulkView):
    """``…/bulk-operation-issues/``."""

    def post(self, request: Request, **_: Any) -> Response:
        """Set properties on the issues."""
        body, now = self.body(request, BulkBody), timezone.now()
        return self.done(
            update_issues(self.project, body["issue_ids"], body["properties"], actor=self.actor, now=now)
        )


class BulkArchive(BulkView):
    """``…/bulk-archive-issues/``."""

    def post(self, request: Request, **_: Any) -> Response:
        """Archive the issues."""
        ids, now = self.body(request, SomeIssues)["issue_ids"], timezone.now()
        return self.done(archive_many(self.project, ids, actor=self.actor, now=now))


class BulkDelete(BulkView):
    """``…/bulk-delete-issues/``."""

    def delete(self, request: Request, **_: Any) -> Response:
        """Delete the issues: for the project's admins."""
        if self.role < Role.ADMIN:
            raise PermissionDenied("Only the project's admins may delete many issues at once.")
        ids, now = self.body(request, SomeIssues)["issue_ids"], timezone.now()
        return self.done(delete_issues(self.project, ids, actor=self.actor, now=now))
