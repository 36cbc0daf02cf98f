"""Who calls: by a token in either of two headers; a web session is the other way in."""

from typing import Any

from rest_framework.authentication import TokenAuthentication
from rest_framework.request import Request


class ApiTokenAuthentication(TokenAuthentication):
    """``Authorization: Token <key>``, or ``X-Api-Key: <key>`` as Plane's clients send it."""

    def authenticate(self, request: Request) -> tuple[Any, Any] | None:
        """Return the user and the token, or None if the request carries no token."""
        key = request.headers.get("X-Api-Key")
        return self.authenticate_credentials(key) if key else super().authenticate(request)
