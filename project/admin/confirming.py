"""The page between a click and an order: it tells what would come of it, and asks why."""

from collections import Counter
from collections.abc import Iterable, Mapping

from django.contrib import admin, messages
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils import timezone

from project.models import Order, Prospect, Verb

MAY_ORDER = "project.operate"

Outcomes = Mapping[str, Prospect]


def ask(
    request: HttpRequest, verb: Verb, prospects: Outcomes, hidden: Iterable[tuple[str, str]], *, back: str
) -> TemplateResponse:
    """Return the page. What it sends back, to the same address, are `hidden` and the reason."""
    context = {
        **admin.site.each_context(request),
        "title": f"{verb.label}: what would come of it",
        "verb": verb.label,
        "counts": counted(prospects),
        "prospects": list(prospects.items()),
        "acts": sum(prospect.acts for prospect in prospects.values()),
        "hidden": hidden,
        "asked_before": "reason" in request.POST,
        "back": back,
    }
    return TemplateResponse(request, "admin/confirm_order.html", context)


def given_order(request: HttpRequest, verb: Verb) -> Order | None:
    """Read the order that such a page sent; None if it has no reason."""
    why = request.POST.get("reason", "").strip()
    return Order(verb, request.user.get_username(), why, timezone.now()) if why else None


def tell(request: HttpRequest, outcomes: Outcomes) -> None:
    """Tell what came of an order, on the next page."""
    done = any(outcome.acts for outcome in outcomes.values())
    messages.add_message(request, messages.SUCCESS if done else messages.WARNING, f"{counted(outcomes)}.")


def counted(outcomes: Outcomes) -> str:
    """Count by outcome, in words."""
    counts = Counter(outcome.word for outcome in outcomes.values())
    return ", ".join(f"{word} {number}" for word, number in counts.most_common())
