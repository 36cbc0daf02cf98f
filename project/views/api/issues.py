"""Issues: list, create, show, change, delete."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework import status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from project.models import Issue, Role
from project.services.notifications.issues import create_issue, delete_issue, update_issue
from project.views.api.issue_data import IssueBody, IssueDetail, IssueRow, with_links
from project.views.api.pagination import Pages
from project.views.api.project_view import IssueView, ProjectView
from project.views.api.sending import send


class IssueList(ProjectView):
    """``…/issues/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return a page of issues, the newest number first, without those in the archive."""
        issues = with_links(self.issues().filter(archived_at=None)).defer(
            "description_html", "description_stripped"
        )
        pages = Pages()
        page = pages.paginate_queryset(issues.order_by("-sequence_id"), request, self)
        return pages.get_paginated_response(IssueRow(page, many=True).data)

    def post(self, request: Request, **_: Any) -> Response:
        """Create an issue."""
        self.refuse_guests()
        values = IssueBody(data=request.data).values()
        issue, wakes = create_issue(self.project, values, actor=self.actor, now=timezone.now())
        send(wakes)
        return Response(_shown(issue.id), status.HTTP_201_CREATED)


class IssueOne(IssueView):
    """``…/issues/<issue_id>/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return the issue with its description."""
        return Response(_shown(self.issue.id))

    def patch(self, request: Request, **_: Any) -> Response:
        """Change what the body names."""
        self.refuse_guests()
        values = IssueBody(data=request.data, partial=True).values()
        send(update_issue(self.issue.id, values, actor=self.actor, now=timezone.now()))
        return Response(_shown(self.issue.id))

    def delete(self, request: Request, **_: Any) -> Response:
        """Delete the issue: for who created it and the project's admins."""
        self.refuse_guests()
        if self.issue.created_by_id != self.actor.id and self.role < Role.ADMIN:
            raise PermissionDenied("Only who created an issue and the project's admins may delete it.")
        send(delete_issue(self.issue.id, actor=self.actor, now=timezone.now()))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _shown(issue_id: UUID) -> Any:
    # A change that was made is shown even if somebody deleted the issue right after.
    return IssueDetail(with_links(Issue.all_objects.filter(id=issue_id)).get()).data
