"""The schedule in the admin: what runs when, how it ran last, and what was missed."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import permission_required
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from project.actors.timetable import jobs
from project.admin.confirming import MAY_ORDER
from project.services.maintenance.standing import LOOK_BACK, standings


@require_GET
@permission_required(MAY_ORDER, raise_exception=True)
def schedule(request: HttpRequest) -> HttpResponse:
    """Show how each job stands."""
    context = {
        **admin.site.each_context(request),
        "title": "Schedule",
        "standings": standings(jobs(), now=timezone.now(), limits=settings.LIMITS),
        "days": LOOK_BACK.days,
    }
    return TemplateResponse(request, "ops/schedule.html", context)
