"""Middleware by which each request gets an id, and ends with a line of its own."""

import logging
import re
from collections.abc import Callable
from time import monotonic
from uuid import uuid4

from django.http import HttpRequest, HttpResponseBase
from structlog.contextvars import bind_contextvars, clear_contextvars

logger = logging.getLogger(__name__)

_GIVEN = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)


class RequestLog:
    """Takes the id of a proxy in front (``X-Request-Id``), or makes one; answers with it, and binds it.

    The line names the route and not the address: addresses hold names of workspaces and what people search for.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request, and tell about it."""
        began = monotonic()
        clear_contextvars()
        given = request.headers.get("X-Request-Id", "")
        request_id = given if _GIVEN.fullmatch(given) else uuid4().hex
        bind_contextvars(request_id=request_id)
        response = self._get_response(request)
        response.headers["X-Request-Id"] = request_id
        logger.info(
            "request",
            extra={
                "event_kind": "request",
                "method": request.method,
                "route": request.resolver_match.route if request.resolver_match else "",
                "status": response.status_code,
                "milliseconds": round((monotonic() - began) * 1000, 1),
            },
        )
        clear_contextvars()
        return response
