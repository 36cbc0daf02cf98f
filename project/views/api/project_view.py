"""What every view of a project does first: who calls, which project, which issue."""

from typing import Any, cast

from django.db.models import QuerySet
from rest_framework.authentication import SessionAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from project.models import Issue, Project, Role, User
from project.views.api.access import access, visible_issues
from project.views.api.authentication import ApiTokenAuthentication
from project.views.api.errors import answer
from project.views.api.parsing import BoundedJSONParser


class ProjectView(APIView):
    """A view below ``workspaces/<slug>/projects/<project_id>/``.

    Attributes:
        actor: Who calls.
        project: The project, of which the caller is a member.
        role: The caller's role in it.
    """

    authentication_classes = [ApiTokenAuthentication, SessionAuthentication]
    permission_classes = [IsAuthenticated]
    parser_classes = [BoundedJSONParser]

    actor: User
    project: Project
    role: int

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Find the caller's place before the handler runs."""
        super().initial(request, *args, **kwargs)
        self.actor = cast(User, request.user)
        self.project, self.role = access(self.actor, kwargs["slug"], kwargs["project_id"])

    def get_exception_handler(self) -> Any:
        """Return the writer of error answers."""
        return answer

    def issues(self) -> QuerySet[Issue]:
        """Return the issues that the caller may see."""
        return visible_issues(self.actor, self.project, self.role)

    def refuse_guests(self) -> None:
        """Stop a guest, who may look and comment but not change.

        Raises:
            PermissionDenied: if the caller is a guest.
        """
        if self.role <= Role.GUEST:
            raise PermissionDenied("Guests may not do this.")


class IssueView(ProjectView):
    """A view below ``…/issues/<issue_id>/``.

    Attributes:
        issue: The issue, which the caller may see.
    """

    issue: Issue

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Find the issue before the handler runs."""
        super().initial(request, *args, **kwargs)
        self.issue = self.issues().get(id=kwargs["issue_id"])
