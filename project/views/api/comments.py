"""Comments of an issue: list, create, change, delete."""

from typing import Any

from django.utils import timezone
from rest_framework import status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from project.models import IssueComment, Role
from project.services.notifications.comments import create_comment, delete_comment, update_comment
from project.views.api.comment_data import CommentBody, CommentRow
from project.views.api.pagination import Pages
from project.views.api.project_view import IssueView
from project.views.api.sending import send


class CommentList(IssueView):
    """``…/issues/<issue_id>/comments/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return a page of comments, the oldest first."""
        pages = Pages()
        comments = IssueComment.objects.filter(issue=self.issue).order_by("created_at", "id")
        page = pages.paginate_queryset(comments, request, self)
        return pages.get_paginated_response(CommentRow(page, many=True).data)

    def post(self, request: Request, **_: Any) -> Response:
        """Comment on the issue; guests may, too."""
        html = CommentBody(data=request.data).html()
        comment, wakes = create_comment(self.issue.id, html, actor=self.actor, now=timezone.now())
        send(wakes)
        return Response(CommentRow(comment).data, status.HTTP_201_CREATED)


class CommentOne(IssueView):
    """``…/comments/<comment_id>/``: for its author and the project's admins."""

    comment: IssueComment

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Find the comment before the handler runs."""
        super().initial(request, *args, **kwargs)
        self.comment = IssueComment.objects.get(issue=self.issue, id=kwargs["comment_id"])
        if self.comment.actor_id != self.actor.id and self.role < Role.ADMIN:
            raise PermissionDenied("Only the author of a comment and the project's admins may change it.")

    def patch(self, request: Request, **_: Any) -> Response:
        """Change the comment's text."""
        html = CommentBody(data=request.data).html()
        wakes = update_comment(self.issue.id, self.comment.id, html, actor=self.actor, now=timezone.now())
        send(wakes)
        return Response(CommentRow(IssueComment.all_objects.get(id=self.comment.id)).data)

    def delete(self, request: Request, **_: Any) -> Response:
        """Delete the comment."""
        send(delete_comment(self.issue.id, self.comment.id, actor=self.actor, now=timezone.now()))
        return Response(status=status.HTTP_204_NO_CONTENT)
