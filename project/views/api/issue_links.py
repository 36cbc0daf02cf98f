"""Links of an issue: list, add, change, remove."""

from typing import Any

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from project.models import IssueLink
from project.services.notifications.web_links import add_link, change_link, remove_link
from project.views.api.issue_link_data import LinkBody, LinkRow
from project.views.api.pagination import Pages
from project.views.api.project_view import IssueView
from project.views.api.sending import send


class LinkList(IssueView):
    """``…/issues/<issue_id>/issue-links/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return a page of links, the newest first."""
        pages = Pages()
        links = IssueLink.objects.filter(issue=self.issue).order_by("-created_at", "-id")
        page = pages.paginate_queryset(links, request, self)
        return pages.get_paginated_response(LinkRow(page, many=True).data)

    def post(self, request: Request, **_: Any) -> Response:
        """Add a link."""
        self.refuse_guests()
        values = LinkBody(data=request.data).values()
        link, wakes = add_link(self.issue.id, values, actor=self.actor, now=timezone.now())
        send(wakes)
        return Response(LinkRow(link).data, status.HTTP_201_CREATED)


class LinkOne(IssueView):
    """``…/issue-links/<link_id>/``."""

    link: IssueLink

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Find the link before the handler runs."""
        super().initial(request, *args, **kwargs)
        self.link = IssueLink.objects.get(issue=self.issue, id=kwargs["link_id"])

    def get(self, request: Request, **_: Any) -> Response:
        """Return the link."""
        return Response(LinkRow(self.link).data)

    def patch(self, request: Request, **_: Any) -> Response:
        """Change what the body names."""
        self.refuse_guests()
        values = LinkBody(data=request.data, partial=True).values()
        send(change_link(self.issue.id, self.link.id, values, actor=self.actor, now=timezone.now()))
        return Response(LinkRow(IssueLink.all_objects.get(id=self.link.id)).data)

    def delete(self, request: Request, **_: Any) -> Response:
        """Remove the link."""
        self.refuse_guests()
        send(remove_link(self.issue.id, self.link.id, actor=self.actor, now=timezone.now()))
        return Response(status=status.HTTP_204_NO_CONTENT)
