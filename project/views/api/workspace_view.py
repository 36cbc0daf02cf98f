"""What every view of a workspace does first: who calls, and which workspace."""

from typing import Any, cast

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.views import APIView

from project.models import User, Workspace
from project.views.api.access import joined


class WorkspaceView(APIView):
    """A view below ``workspaces/<slug>/``.

    Attributes:
        actor: Who calls.
        workspace: The workspace, of which the caller is an active member.
    """

    actor: User
    workspace: Workspace

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Find the caller's workspace before the handler runs."""
        super().initial(request, *args, **kwargs)
        self.actor = cast(User, request.user)
        workspace = joined(self.actor).filter(slug=kwargs["slug"]).first()
        if workspace is None:
            raise NotFound("There is no such workspace.")
        self.workspace = workspace
