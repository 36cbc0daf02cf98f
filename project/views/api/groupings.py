"""Cycles and modules: issues come and go."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from project.services.notifications.membership import (
    CYCLE,
    Grouping,
    change_modules,
    put_in,
    take_out,
)
from project.views.api.issue_ids import IssueIds
from project.views.api.parsing import KnownFields
from project.views.api.project_view import IssueView, ProjectView
from project.views.api.sending import send


class IssuesBody(KnownFields):
    """The issues that are to come."""

    issues = IssueIds()


class ModulesBody(KnownFields):
    """The modules that an issue is put into, and those that it is taken out of."""

    modules = serializers.ListField(child=serializers.UUIDField(), default=list)
    removed_modules = serializers.ListField(child=serializers.UUIDField(), default=list)


class GroupIssues(ProjectView):
    """``…/cycles/<group_id>/cycle-issues/`` and ``…/modules/<group_id>/issues/``."""

    grouping: Grouping = CYCLE

    def post(self, request: Request, group_id: UUID, **_: Any) -> Response:
        """Put issues into it; the answer says how many were not there before."""
        self.refuse_guests()
        self.grouping.model.objects.get(project=self.project, id=group_id)
        body = IssuesBody(data=request.data)
        body.is_valid(raise_exception=True)
        ids, now = body.validated_data["issues"], timezone.now()
        wakes = put_in(self.grouping, group_id, self.project, ids, actor=self.actor, now=now)
        send(wakes)
        return Response({"changed": len(wakes)}, status.HTTP_201_CREATED)


class GroupIssue(IssueView):
    """``…/cycles/<group_id>/cycle-issues/<issue_id>/`` and ``…/modules/<group_id>/issues/<issue_id>/``."""

    grouping: Grouping = CYCLE

    def delete(self, request: Request, group_id: UUID, **_: Any) -> Response:
        """Take the issue out of it."""
        self.refuse_guests()
        self.grouping.model.objects.get(project=self.project, id=group_id)
        send(take_out(self.grouping, group_id, self.issue.id, actor=self.actor, now=timezone.now()))
        return Response(status=status.HTTP_204_NO_CONTENT)


class IssueModules(IssueView):
    """``…/issues/<issue_id>/modules/``."""

    def post(self, request: Request, **_: Any) -> Response:
        """Put the issue into modules and take it out of others."""
        self.refuse_guests()
        body = ModulesBody(data=request.data)
        body.is_valid(raise_exception=True)
        added, removed = body.validated_data["modules"], body.validated_data["removed_modules"]
        send(change_modules(self.issue.id, added, removed, actor=self.actor, now=timezone.now()))
        return Response({"message": "success"}, status.HTTP_201_CREATED)
