"""Dead letters in the admin: a list with filters, each with its traceback, and orders about them."""

from collections.abc import Callable, Sequence
from functools import wraps
from itertools import islice
from typing import Any

import redis
from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.text import Truncator
from django.views.decorators.http import require_GET, require_POST

from project.actors.dead_letter_prospects import key, prospects, readable, row_of
from project.actors.dead_letters import carry_out, find, office
from project.actors.digests import send_digest
from project.actors.notifications import fan_out_event
from project.admin.confirming import MAY_ORDER, ask, given_order, tell
from project.admin.letter_filter import LetterFilter
from project.models import Verb
from project.queue.dead_letter import START, Cursor, DeadLetter

PAGE = 50
ERROR = 120  # characters of an error in the list
EXPLAINED = {send_digest.actor_name: "digest", fan_out_event.actor_name: "event"}
VERBS = {verb.value: verb for verb in (Verb.REQUEUE, Verb.DISCARD)}

View = Callable[..., HttpResponse]


def operators_page(view: View) -> View:
    """Let operators in, and say so if Redis cannot be reached."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except redis.RedisError as error:
            return _page(request, "admin/redis_away.html", "Redis cannot be reached", status=503, error=error)

    return admin.site.admin_view(permission_required(MAY_ORDER, raise_exception=True)(guarded))


@operators_page
@require_GET
def dead_letters(request: HttpRequest) -> HttpResponse:
    """Show a page of one queue's dead letters, the oldest first."""
    desk = office()
    chosen = LetterFilter(desk.counts(), request.GET)
    if not chosen.is_valid():
        return _page(request, "admin/dead_letters.html", "Dead letters", filter=chosen, status=400)
    found = desk.search(chosen.chosen_queue(), chosen.wanted(timezone.now()), after=_cursor(request))
    letters = list(islice(found, PAGE))
    return _page(
        request,
        "admin/dead_letters.html",
        "Dead letters",
        filter=chosen,
        queue=chosen.chosen_queue(),
        letters=_described(letters),
        next=_next_page(request, letters) if next(found, None) else "",
        verbs=VERBS.values(),
    )


@operators_page
@require_GET
def dead_letter(request: HttpRequest, queue: str, entry_id: str) -> HttpResponse:
    """Show one of them, with its traceback."""
    letter = find(office(), f"{queue}/{entry_id}")
    if letter is None:
        raise Http404("It was re-queued or discarded, or it expired.")
    [described] = _described([letter])
    return _page(
        request,
        "admin/dead_letter.html",
        described["key"],
        letter=described,
        error=readable(letter.error),
        traceback=readable(letter.traceback),
        body=readable(letter.body.decode(errors="replace")),
        verbs=VERBS.values(),
    )


@operators_page
@require_POST
def order(request: HttpRequest) -> HttpResponse:
    """Ask first; once there is a reason, carry it out."""
    verb = VERBS.get(request.POST.get("verb", ""))
    if verb is None:
        return HttpResponseBadRequest("No such order.")
    desk, keys = office(), request.POST.getlist("letter")
    letters = [letter for name in keys if (letter := find(desk, name))]
    if gone := len(keys) - len(letters):
        messages.warning(request, f"gone {gone}: somebody else was faster, or they expired.")
    given = given_order(request, verb)
    if letters and given is None:
        hidden = [("verb", verb.value), *(("letter", key(letter)) for letter in letters)]
        return ask(request, verb, prospects(verb, letters), hidden, back=reverse("operate:dead_letters"))
    if letters and given:
        tell(request, carry_out(desk, letters, given, timezone.now))
    return redirect("operate:dead_letters")


def _described(letters: Sequence[DeadLetter]) -> list[dict[str, Any]]:
    ahead = prospects(Verb.REQUEUE, letters)
    return [
        {
            "key": key(letter),
            "queue": letter.queue,
            "entry_id": letter.entry_id,
            "died_at": letter.died_at,
            "actor": readable(letter.actor),
            "row": row_of(letter),
            "explained_as": EXPLAINED.get(letter.actor),
            "message": readable(str(letter.message or "unreadable")),
            "attempts": letter.attempts,
            "reason": readable(letter.reason),
            "error": Truncator(readable(letter.error).partition("\n")[0]).chars(ERROR),
            "prospect": ahead[key(letter)],
        }
        for letter in letters
    ]


def _cursor(request: HttpRequest) -> Cursor:
    died, _, entry_id = request.GET.get("after", "").partition("/")
    try:
        return Cursor(float(died), entry_id)
    except ValueError:
        return START


def _next_page(request: HttpRequest, letters: Sequence[DeadLetter]) -> str:
    last = letters[-1].cursor
    query = request.GET.copy()
    query["after"] = f"{last.died}/{last.entry_id}"
    return f"?{query.urlencode()}"


def _page(
    request: HttpRequest, template: str, title: str, *, status: int = 200, **context: Any
) -> TemplateResponse:
    whole = {**admin.site.each_context(request), "title": title, **context}
    return TemplateResponse(request, template, whole, status=status)
