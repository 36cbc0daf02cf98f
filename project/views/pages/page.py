"""What every member's page does first, and how it answers: who, which workspace, in whose time zone."""

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views import View
from rest_framework.exceptions import APIException, NotFound

from project.models import Issue, User, Workspace, WorkspaceMember
from project.services.digests.wording import zone_named
from project.services.notifications.inbox import Inbox
from project.views.api.access import memberships_of
from project.views.api.exports_access import may_export

#: Nothing but our own files. What people wrote is sanitised; this holds if a hole is found in that.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def sealed(response: HttpResponseBase) -> HttpResponseBase:
    """Let a page load only what is ours, and keep it out of caches."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    add_never_cache_headers(response)
    return response


class Page(View):
    """A page for whoever is signed in; others are asked to sign in first.

    Attributes:
        user: Who looks at it.
    """

    user: User

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer in the user's time zone; what is not there for them is a page that says so."""
        if not request.user.is_authenticated:
            then = request.get_full_path() if request.method == "GET" else reverse("home")
            return sealed(redirect_to_login(then, reverse("sign-in")))
        self.user = request.user
        with timezone.override(zone_named(self.user.user_timezone)):
            try:
                self.find(**kwargs)
                return sealed(super().dispatch(request, *args, **kwargs))
            except APIException as error:
                return sealed(self._refused(str(error.detail), error.status_code))
            except Issue.DoesNotExist:
                return sealed(self._refused("There is no such issue.", NotFound.status_code))

    def find(self, **kwargs: Any) -> None:
        """Find what the address names, before the handler runs.

        Raises:
            APIException: if it is not there for this user.
            Issue.DoesNotExist: if that is an issue.
        """

    def show(self, template: str, context: dict[str, Any]) -> HttpResponse:
        """Render a page."""
        return render(self.request, f"pages/{template}.html", context)

    def _refused(self, why: str, status: int) -> HttpResponse:
        return render(self.request, "pages/refused.html", {"why": why, "elsewhere": True}, status=status)


class WorkspacePage(Page):
    """A page of a workspace.

    Attributes:
        membership: The user's, which is active.
        workspace: Of which the user is a member.
        inbox: The user's inbox in it.
    """

    membership: WorkspaceMember
    workspace: Workspace
    inbox: Inbox

    def find(self, **kwargs: Any) -> None:
        """Find the workspace."""
        memberships = {membership.workspace.slug: membership for membership in memberships_of(self.user)}
        if kwargs["slug"] not in memberships:
            raise NotFound("There is no such workspace.")
        self.workspaces = [membership.workspace for membership in memberships.values()]
        self.membership = memberships[kwargs["slug"]]
        self.workspace = self.membership.workspace
        self.inbox = Inbox(self.user, self.workspace)

    def show(self, template: str, context: dict[str, Any]) -> HttpResponse:
        """Render a page with the head that all of them have."""
        head = {
            "workspace": self.workspace,
            "workspaces": self.workspaces,
            "unread": self.inbox.unread(now=timezone.now()),
            "may_export": may_export(self.membership),
        }
        return super().show(template, {**head, **context})
