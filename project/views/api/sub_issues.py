"""Sub-issues of an issue: list, add. They leave it when they get another parent, or none."""

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from project.services.notifications.parents import adopt
from project.views.api.issue_data import IssueRow, with_links
from project.views.api.issue_ids import IssueIds
from project.views.api.pagination import Pages
from project.views.api.parsing import KnownFields
from project.views.api.project_view import IssueView
from project.views.api.sending import send


class SubIssuesBody(KnownFields):
    """The issues that are to become sub-issues."""

    sub_issue_ids = IssueIds()


class SubIssues(IssueView):
    """``…/issues/<issue_id>/sub-issues/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return a page of those sub-issues that the caller may see, the newest number first."""
        pages = Pages()
        children = with_links(self.issues().filter(parent=self.issue)).order_by("-sequence_id")
        page = pages.paginate_queryset(children, request, self)
        return pages.get_paginated_response(IssueRow(page, many=True).data)

    def post(self, request: Request, **_: Any) -> Response:
        """Make issues sub-issues of this one; the answer is as that of GET."""
        self.refuse_guests()
        body = SubIssuesBody(data=request.data)
        body.is_valid(raise_exception=True)
        children = body.validated_data["sub_issue_ids"]
        send(adopt(self.issue, children, actor=self.actor, now=timezone.now()))
        return self.get(request)
