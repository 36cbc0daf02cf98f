"""How everything stands, on one page, and the order to try stopped mail again."""

from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST
from dramatiq.errors import BrokerConnectionError

from project.actors.digests import OUTBOX, send_digest
from project.actors.wakes import send_wakes
from project.admin.confirming import MAY_ORDER, ask, given_order, tell
from project.admin.operations_parts import read
from project.models import Verb
from project.services.digests.resume import if_resumed, resume

HOURS = (1, 6, 24)


@require_GET
@permission_required(MAY_ORDER, raise_exception=True)
def operations(request: HttpRequest) -> HttpResponse:
    """Show everything that can be read now; what cannot is named."""
    now, chosen = timezone.now(), request.GET.get("hours", "")
    hours = int(chosen) if chosen in map(str, HOURS) else HOURS[1]
    context = {
        **admin.site.each_context(request),
        "title": "Operations",
        "now": now,
        "hours": hours,
        "choices": HOURS,
        **read(now, hours),
    }
    return TemplateResponse(request, "admin/operations.html", context)


@require_POST
@permission_required(MAY_ORDER, raise_exception=True)
def resume_mail(request: HttpRequest) -> HttpResponse:
    """Ask first; once there is a reason, have mail tried at once."""
    breaker, back = OUTBOX.breaker, reverse("operate:operations")
    order = given_order(request, Verb.RESUME)
    if order is None:
        ahead = {breaker.address: if_resumed(breaker, now=timezone.now())}
        return ask(request, Verb.RESUME, ahead, [], back=back)
    report = resume(breaker, order)
    tell(request, report.outcomes)
    try:
        send_wakes(send_digest, report.wakes)
    except BrokerConnectionError:
        messages.warning(request, "Redis cannot be reached: the next tick will try it once it can.")
    return redirect(back)
