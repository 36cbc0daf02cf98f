"""The caller's subscription to an issue."""

from typing import Any

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from project.services.notifications.subscribers import is_subscribed, leave, subscribe
from project.views.api.project_view import IssueView


class Subscription(IssueView):
    """``…/issues/<issue_id>/subscribe/``; guests may, too."""

    def get(self, request: Request, **_: Any) -> Response:
        """Tell whether the caller follows the issue."""
        return Response({"subscribed": is_subscribed(self.issue.id, self.actor)})

    def post(self, request: Request, **_: Any) -> Response:
        """Follow the issue; 400 if that is so already, as in Plane."""
        if not subscribe(self.issue.id, self.actor, now=timezone.now()):
            return Response({"error": "You follow this issue already."}, status.HTTP_400_BAD_REQUEST)
        return Response({"subscribed": True}, status.HTTP_201_CREATED)

    def delete(self, request: Request, **_: Any) -> Response:
        """Leave the issue: hear of it again only by a new assignment, a mention, or after following it."""
        leave(self.issue.id, self.actor, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)
