"""The page of an issue, to read: where mails and notifications lead."""

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from rest_framework.exceptions import ParseError

from project.models import Issue, Notification
from project.services.notifications.inbox import Selection
from project.services.notifications.inbox_marks import mark_read
from project.services.notifications.schedule import is_muted, mute, unmute
from project.services.notifications.subscribers import is_subscribed, leave, subscribe
from project.views.api.access import access, visible_issues
from project.views.pages.issue_story import story_of
from project.views.pages.page import WorkspacePage


class IssuePage(WorkspacePage):
    """``/<slug>/projects/<project_id>/issues/<issue_id>``.

    Attributes:
        issue: Which the user may see.
    """

    issue: Issue

    def find(self, **kwargs: Any) -> None:
        """Find the workspace and the issue."""
        super().find(**kwargs)
        project, role = access(self.user, kwargs["slug"], kwargs["project_id"])
        issues = visible_issues(self.user, project, role).select_related("project", "state", "created_by")
        self.issue = issues.get(id=kwargs["issue_id"])

    def get(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Show the issue."""
        context = {
            "issue": self.issue,
            "key": f"{self.issue.project.identifier}-{self.issue.sequence_id}",
            "story": story_of(self.issue),
            "following": is_subscribed(self.issue.id, self.user),
            "muted": is_muted(self.issue.id, self.user),
            "waiting": self._waiting().count(),
        }
        return self.show("issue", context)

    def post(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Do what the button says, then show the issue."""
        now = timezone.now()
        match request.POST.get("do"):
            case "follow":
                subscribe(self.issue.id, self.user, now=now)
                messages.success(request, "You follow this issue.")
            case "leave":
                leave(self.issue.id, self.user, now=now)
                messages.success(request, "You do not follow this issue any more.")
            case "mute":
                mute(self.issue.id, self.user, now=now)
                messages.success(request, "You get no mail about this issue. The inbox still tells you.")
            case "unmute":
                unmute(self.issue.id, self.user)
                messages.success(request, "You get mail about this issue again.")
            case "read":
                mark_read(self._waiting(), now=now)
                messages.success(request, "Marked as read.")
            case _:
                raise ParseError("There is no such button.")
        return redirect(request.path)

    def _waiting(self) -> QuerySet[Notification]:
        about = Selection(read=False, archived=False, issue=self.issue.id)
        return self.inbox.selected(about, now=timezone.now())
