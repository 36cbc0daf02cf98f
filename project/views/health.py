"""What orchestrators and load balancers ask: does this process live, and can it do its work?"""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from project.views.health_checks import CHECKS, Finding, check
from project.views.watchers import is_watcher


@require_GET
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer, which is all that is asked. A process that is alive is not restarted for what others lack."""
    return JsonResponse({"ok": True})


@require_GET
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 if every check went well, 503 otherwise, and which did not.

    ``?check=database`` (repeatable) asks for some checks only. Details are for who may see them; names are
    for everybody.
    """
    wanted = request.GET.getlist("check") or list(CHECKS)
    if unknown := set(wanted) - CHECKS.keys():
        return JsonResponse({"ok": False, "unknown": sorted(unknown), "known": list(CHECKS)}, status=400)
    found = check(wanted)
    shown = Finding.in_full if is_watcher(request) else Finding.in_brief
    well = all(finding.ok for finding in found.values())
    checks = [{"name": name, **shown(finding)} for name, finding in found.items()]
    return JsonResponse({"ok": well, "checks": checks}, status=200 if well else 503)
