"""Calls of the API, as its clients make them."""

from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from project.models import Issue, Project, User


def by_token(user: User) -> APIClient:
    """A client that sends ``Authorization: Token …``."""
    return APIClient(headers={"Authorization": f"Token {_key(user)}"})


def by_api_key(user: User) -> APIClient:
    """A client that sends ``X-Api-Key: …``."""
    return APIClient(headers={"X-Api-Key": _key(user)})


def by_session(user: User) -> APIClient:
    """A signed-in browser."""
    client = APIClient()
    client.force_login(user)
    return client


def issues_url(project: Project, slug: str = "") -> str:
    return f"/api/workspaces/{slug or project.workspace.slug}/projects/{project.id}/issues/"


def issue_url(issue: Issue, rest: str = "") -> str:
    return f"{issues_url(issue.project)}{issue.id}/{rest}"


def _key(user: User) -> str:
    token, _ = Token.objects.get_or_create(user=user)
    return token.key
