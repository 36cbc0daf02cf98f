"""Who may look at the insides: staff, and who has the token."""

from secrets import compare_digest

from django.conf import settings
from django.db import Error as DatabaseError
from django.http import HttpRequest, HttpResponse


def is_watcher(request: HttpRequest) -> bool:
    """Whether the request may see metrics and details. Without a token that is set, only staff may; or
    everybody, where people develop.
    """
    token = settings.METRICS_TOKEN
    if not token and settings.DEBUG:
        return True
    given = request.headers.get("Authorization", "")
    if token and compare_digest(given.encode(), f"Bearer {token}".encode()):
        return True
    try:
        return request.user.is_active and request.user.is_staff
    except DatabaseError:  # it holds the sessions; that it is away must not hide why
        return False


def refused() -> HttpResponse:
    """The answer to who may not."""
    return HttpResponse(
        "A staff session or a bearer token is needed.\n",
        status=401,
        content_type="text/plain",
        headers={"WWW-Authenticate": "Bearer"},
    )
