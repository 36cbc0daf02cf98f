"""The caller's notification preferences: in general, and otherwise in a workspace or a project."""

from typing import Any, cast

from django.utils import timezone
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from project.models import User
from project.services.notifications.preferences import (
    EVERYWHERE,
    Flags,
    Place,
    decide,
    inherit,
    preferences_of,
)
from project.views.api.parsing import Flag, KnownFields
from project.views.api.project_view import ProjectView
from project.views.api.workspace_view import WorkspaceView


class FlagsBody(KnownFields):
    """The five flags, and nothing else."""

    property_change = Flag()
    state_change = Flag()
    comment = Flag()
    mention = Flag()
    issue_completed = Flag()

    def flags(self) -> Flags:
        """Return what was sent.

        Raises:
            ValidationError: naming each flag that is wrong.
        """
        self.is_valid(raise_exception=True)
        return cast(Flags, self.validated_data)


class MyPreferences(APIView):
    """``users/me/notification-preferences/``: what holds wherever nothing else was decided."""

    def get(self, request: Request) -> Response:
        """Return the five flags."""
        return Response(preferences_of(cast(User, request.user)).at(EVERYWHERE).flags)

    def patch(self, request: Request) -> Response:
        """Change the flags that the body names."""
        flags = FlagsBody(data=request.data, partial=True).flags()
        decide(cast(User, request.user), EVERYWHERE, flags, now=timezone.now())
        return self.get(request)


class _Override(APIView):
    """Preferences of one place: what holds there, and from which level it comes; to be set whole or forgotten."""

    actor: User
    place: Place

    def get(self, request: Request, **_: Any) -> Response:
        """Return the five flags and their source."""
        effective = preferences_of(self.actor).at(self.place)
        return Response({**effective.flags, "source": effective.source})

    def put(self, request: Request, **_: Any) -> Response:
        """Decide all five flags for this place."""
        decide(self.actor, self.place, FlagsBody(data=request.data).flags(), now=timezone.now())
        return self.get(request)

    def delete(self, request: Request, **_: Any) -> Response:
        """Let this place inherit."""
        inherit(self.actor, self.place, now=timezone.now())
        return Response(status=status.HTTP_204_NO_CONTENT)


class WorkspacePreferences(_Override, WorkspaceView):
    """``workspaces/<slug>/notification-preferences/``."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Name the workspace as the place."""
        super().initial(request, *args, **kwargs)
        self.place = Place(self.workspace.id)


class ProjectPreferences(_Override, ProjectView):
    """``…/projects/<project_id>/notification-preferences/``."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Name the project as the place."""
        super().initial(request, *args, **kwargs)
        self.place = Place(self.project.workspace_id, self.project.id)
