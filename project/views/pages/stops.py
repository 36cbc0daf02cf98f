"""Mail that somebody stopped by a link in a mail, in their settings: what, since when, and a way back."""

from datetime import datetime
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from rest_framework.exceptions import NotFound

from project.models import MailStop, Scope, User, Workspace
from project.services.notifications.unsubscribe import stops_of, take_back
from project.views.pages.page import WorkspacePage


class Stop(NamedTuple):
    """A line of the settings."""

    id: int
    words: str
    at: datetime


def stops_in(workspace: Workspace, user: User) -> list[Stop]:
    """Return what is stopped in the workspace, or everywhere; keys only, for titles may be secret by now."""
    return [Stop(stop.pk, _words(stop), stop.at) for stop in stops_of(user) if _concerns(stop, workspace)]


class StopTakenBack(WorkspacePage):
    """``/<slug>/settings/account/notifications/stops/<id>/``, by POST only."""

    def post(self, request: HttpRequest, stop_id: int, **_: Any) -> HttpResponse:
        """Take a stop back; one that was is fine."""
        stop = MailStop.objects.filter(pk=stop_id, token__receiver=self.user).first()
        if stop is None:
            raise NotFound("There is no such stop.")
        take_back(stop, now=timezone.now())
        messages.success(request, f"You get mail {_words(stop)} again, as before.")
        return redirect("preferences", self.workspace.slug)


def _words(stop: MailStop) -> str:
    issue = stop.token.issue
    if issue and stop.scope == Scope.ISSUE:
        return f"about {issue.project.identifier}-{issue.sequence_id}"
    if issue and stop.scope == Scope.PROJECT:
        return f"about {issue.project.identifier}"
    if stop.scope == Scope.EXPORTS:
        return "about your exports"
    return "from this workspace" if stop.scope == Scope.WORKSPACE else "about anything"


def _concerns(stop: MailStop, workspace: Workspace) -> bool:
    about = stop.token.issue.workspace_id if stop.token.issue else stop.token.workspace_id
    return stop.scope in {Scope.EXPORTS, Scope.ALL} or about == workspace.id
