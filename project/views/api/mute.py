"""Whether the caller wants mail about an issue."""

from typing import Any

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from project.services.notifications.schedule import is_muted, mute, unmute
from project.views.api.project_view import IssueView


class Mute(IssueView):
    """``…/issues/<issue_id>/mute/``; guests may, too. The inbox is not concerned."""

    def get(self, request: Request, **_: Any) -> Response:
        """Tell whether the caller muted the issue."""
        return Response({"muted": is_muted(self.issue.id, self.actor)})

    def post(self, request: Request, **_: Any) -> Response:
        """Mute it; to have muted it already is fine."""
        mute(self.issue.id, self.actor, now=timezone.now())
        return Response({"muted": True}, status.HTTP_201_CREATED)

    def delete(self, request: Request, **_: Any) -> Response:
        """Let mail about it come again."""
        unmute(self.issue.id, self.actor)
        return Response(status=status.HTTP_204_NO_CONTENT)
