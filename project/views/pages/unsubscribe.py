"""``/unsubscribe/<token>/``: the page behind the links in mails, and what mail programs post to.

Anybody may hold the link: scanners follow it, mails are forwarded, and it has to work without signing in. So
looking changes nothing, the page says nothing about what the mails are about, and the token cannot be used to
get mail for somebody; only what was just stopped can be taken back, with a ticket that only this answer has.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from django.core import signing
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.csrf import csrf_exempt

from project.models import Scope, UnsubscribeToken
from project.services.notifications.unsubscribe import scopes_of, take_back, unsubscribe
from project.views.pages.page import sealed
from project.views.throttle import Throttle

TICKET = timedelta(hours=1)  # for so long a stop can be taken back from the page; in the settings for ever

_SALT = "project.unsubscribe.ticket"
_GUESSES = Throttle("unsubscribe-guess", "30/min")  # of one address
_POSTS = Throttle("unsubscribe-post", "30/min")  # for one token

_WORDS: Mapping[str, str] = {
    Scope.ISSUE: "about this issue",
    Scope.PROJECT: "about this project",
    Scope.WORKSPACE: "from this workspace",
    Scope.EXPORTS: "about exports",
    Scope.ALL: "about anything",
}


class Offer(NamedTuple):
    """Something that the page offers to stop."""

    scope: Scope
    words: str


@method_decorator(
    csrf_exempt, name="dispatch"
)  # the token is the authority, and mail programs send no cookie
class Unsubscribe(View):
    """The page, and the one click of RFC 8058."""

    http_method_names = ["get", "head", "post"]

    def get(self, request: HttpRequest, token: str) -> HttpResponse:
        """Show what can be stopped."""
        row = _found(token)
        return _page(row) if row else _unknown(request)

    def post(self, request: HttpRequest, token: str) -> HttpResponse:
        """Stop mail, or take that back; doing it again is fine.

        A post without `scope` is the one click: what the mail was about is stopped.
        """
        row = _found(token)
        if row is None:
            return _unknown(request)
        if not _POSTS.allows(token):
            return _answer({"busy": True}, status=429)
        form = _form(request)
        if "ticket" in form:
            return _taken_back(row, form["ticket"])
        scopes = scopes_of(row)
        wanted = form.get("scope", scopes[0])
        if wanted not in scopes:
            return _page(row)
        stop = unsubscribe(row, Scope(wanted), now=timezone.now())
        ticket = signing.dumps([stop.pk, stop.ticket], salt=_SALT) if stop else ""
        return _page(row, stopped=_WORDS[wanted], ticket=ticket)


def masked(address: str) -> str:
    """Return an address as only its owner recognises it: "b…@e…"."""
    local, _, domain = address.partition("@")
    return f"{local[:1]}…@{domain[:1]}…"


def _form(request: HttpRequest) -> Mapping[str, str]:
    """Return what was posted; a body that cannot be read says nothing, and is one click like any other."""
    try:
        return {name: str(value) for name, value in request.POST.items()}
    except (BadRequest, MultiPartParserError, LookupError, ValueError):
        return {}


def _found(token: str) -> UnsubscribeToken | None:
    return (
        UnsubscribeToken.objects.select_related("receiver", "issue", "workspace").filter(token=token).first()
    )


def _taken_back(row: UnsubscribeToken, ticket: str) -> HttpResponse:
    try:
        pk, number = signing.loads(ticket, salt=_SALT, max_age=TICKET)
        stop = row.stops.filter(pk=pk, ticket=number).first()
    except signing.BadSignature:  # an expired one, too
        stop = None
    if stop is None:
        return _page(row)
    take_back(stop, now=timezone.now())
    return _page(row, restored=_WORDS[stop.scope])


def _page(row: UnsubscribeToken, **said: str) -> HttpResponse:
    offers = [Offer(scope, _WORDS[scope]) for scope in scopes_of(row)]
    return _answer({"offers": offers, "address": masked(row.receiver.email or ""), **said})


def _unknown(request: HttpRequest) -> HttpResponse:
    allowed = _GUESSES.allows(request.META["REMOTE_ADDR"])
    return _answer({}, status=404) if allowed else _answer({"busy": True}, status=429)


def _answer(context: dict[str, Any], status: int = 200) -> HttpResponse:
    """Render without the request: nothing of a session is read, and no cookie is set."""
    response = HttpResponse(render_to_string("pages/unsubscribe.html", context), status=status)
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    sealed(response)
    return response
