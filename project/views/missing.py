"""The answer where there is nothing."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.defaults import page_not_found


def missing(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say so as JSON to who asked the API, and by a page to everybody else."""
    if request.path.startswith("/api/"):
        return JsonResponse({"error": "There is no such address."}, status=404)
    return page_not_found(request, exception)
