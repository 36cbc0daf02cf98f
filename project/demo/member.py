"""One person at work: sends requests to the REST API with a token of their own."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

NOTHING: Mapping[str, Any] = {}
TIMEOUT = 15  # seconds for one request


class RefusedError(RuntimeError):
    """The API answered something else than a success."""


@dataclass(frozen=True)
class Member:
    """A person in a project.

    Attributes:
        site: URL of the web server.
        token: The person's API token.
        slug: Of the workspace.
        project: Id of the project.
    """

    site: str
    token: str
    slug: str
    project: UUID

    def create(self, **fields: Any) -> UUID:
        """Create an issue and return its id."""
        return UUID(self._send("POST", f"{self._issues}/", fields)["id"])

    def change(self, issue: UUID, **fields: Any) -> None:
        """Change fields of an issue."""
        self._send("PATCH", f"{self._issues}/{issue}/", fields)

    def delete(self, issue: UUID) -> None:
        """Delete an issue."""
        self._send("DELETE", f"{self._issues}/{issue}/")

    def comment(self, issue: UUID, html: str) -> UUID:
        """Comment on an issue and return the comment's id."""
        return UUID(self._send("POST", f"{self._issues}/{issue}/comments/", {"comment_html": html})["id"])

    def edit(self, issue: UUID, comment: UUID, html: str) -> None:
        """Change the text of a comment."""
        self._send("PATCH", f"{self._issues}/{issue}/comments/{comment}/", {"comment_html": html})

    def take_back(self, issue: UUID, comment: UUID) -> None:
        """Delete a comment."""
        self._send("DELETE", f"{self._issues}/{issue}/comments/{comment}/")

    @property
    def _issues(self) -> str:
        return f"/api/workspaces/{self.slug}/projects/{self.project}/issues"

    def _send(self, method: str, path: str, body: Mapping[str, Any] = NOTHING) -> Any:
        connection = HTTPConnection(urlsplit(self.site).netloc, timeout=TIMEOUT)
        headers = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, json.dumps(body, default=str), headers)
            response = connection.getresponse()
            content = response.read()
        finally:
            connection.close()
        if not 200 <= response.status < 300:
            raise RefusedError(f"{method} {path}: {response.status} {content.decode(errors='replace')[:500]}")
        return json.loads(content) if content else None
