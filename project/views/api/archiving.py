"""The archive: one issue goes there and comes back."""

from typing import Any

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from project.models import Issue
from project.services.notifications.archiving import archive, restore
from project.views.api.project_view import IssueView
from project.views.api.sending import send


class Archive(IssueView):
    """``…/issues/<issue_id>/archive/``."""

    def post(self, request: Request, **_: Any) -> Response:
        """Archive the issue; the answer says since when it is archived."""
        self.refuse_guests()
        send(archive(self.issue.id, by=self.actor, now=timezone.now()))
        return Response({"archived_at": Issue.all_objects.get(id=self.issue.id).archived_at})

    def delete(self, request: Request, **_: Any) -> Response:
        """Restore the issue."""
        self.refuse_guests()
        send(restore(self.issue.id, actor=self.actor, now=timezone.now()))
        return Response(status=status.HTTP_204_NO_CONTENT)
