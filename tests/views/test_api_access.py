"""Who gets in, and what the others read."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from rest_framework.test import APIClient
from rest_framework.throttling import UserRateThrottle

from project.models import Issue, Project, ProjectMember, Role, User, Workspace, WorkspaceMember
from tests.factories import Team, make_comment, make_issue, make_team, make_user
from tests.views.api import by_api_key, by_session, by_token, issue_url, issues_url

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def issue(team: Team) -> Issue:
    return make_issue(team)


def calls(issue: Issue) -> list[tuple[str, str]]:
    """Every method and address of the API."""
    comment = make_comment(issue, issue.created_by or make_user("nobody"))
    return [
        ("get", issues_url(issue.project)),
        ("post", issues_url(issue.project)),
        *((method, issue_url(issue)) for method in ("get", "patch", "delete")),
        *((method, issue_url(issue, "comments/")) for method in ("get", "post")),
        *((method, issue_url(issue, f"comments/{comment.id}/")) for method in ("patch", "delete")),
        *((method, issue_url(issue, "subscribe/")) for method in ("get", "post", "delete")),
    ]


def every_answer(client: APIClient, issue: Issue) -> set[tuple[int, str]]:
    body = {"name": "x", "comment_html": "<p>x</p>"}
    responses = [getattr(client, method)(url, body, format="json") for method, url in calls(issue)]
    return {(response.status_code, response.json()["error"]) for response in responses}


@pytest.mark.parametrize("client_of", [by_token, by_api_key, by_session])
def test_three_ways_in(issue: Issue, team: Team, client_of: Callable[[User], APIClient]) -> None:
    assert client_of(team.members["bob"]).get(issue_url(issue)).status_code == 200


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Token wrong"}, {"X-Api-Key": "wröng"}])
def test_a_stranger_is_asked_who_they_are(issue: Issue, headers: dict[str, str]) -> None:
    response = APIClient(headers=headers).get(issue_url(issue))
    assert (response.status_code, response["WWW-Authenticate"]) == (401, "Token")
    assert response.json().keys() == {"error"}


def test_a_closed_account_does_not_get_in(issue: Issue, team: Team) -> None:
    clients = [client_of(team.members["bob"]) for client_of in (by_token, by_api_key, by_session)]
    User.objects.filter(id=team.members["bob"].id).update(is_active=False)
    assert {client.get(issue_url(issue)).status_code for client in clients} == {401}


def test_a_session_needs_the_csrf_token(issue: Issue, team: Team) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(team.members["bob"])
    response = client.patch(issue_url(issue), {"name": "Forged"}, format="json")
    assert response.status_code == 403
    assert "CSRF" in response.json()["error"]


def no_member_of_the_workspace(user: User) -> None:
    WorkspaceMember.objects.filter(member=user).delete()


def left_the_workspace(user: User) -> None:
    WorkspaceMember.objects.filter(member=user).update(is_active=False)


def workspace_deleted(user: User) -> None:
    Workspace.objects.update(deleted_at=timezone.now())


def project_deleted(user: User) -> None:
    Project.objects.update(deleted_at=timezone.now())


@pytest.mark.parametrize(
    "happened", [no_member_of_the_workspace, left_the_workspace, workspace_deleted, project_deleted]
)
def test_outside_there_is_no_such_project(team: Team, issue: Issue, happened: Callable[[User], None]) -> None:
    happened(team.members["bob"])
    answers = every_answer(by_token(team.members["bob"]), issue)
    assert answers == {(404, "There is no such project.")}


@pytest.mark.parametrize("change", [{"is_active": False}, {"deleted_at": timezone.now()}])
def test_a_colleague_outside_the_project_is_told_so(team: Team, issue: Issue, change: dict[str, Any]) -> None:
    ProjectMember.objects.filter(member=team.members["bob"]).update(**change)
    answers = every_answer(by_token(team.members["bob"]), issue)
    assert answers == {(403, "You are not a member of this project.")}


def test_a_guest_sees_only_their_own_issues_unless_the_project_shows_all(team: Team, issue: Issue) -> None:
    eve = team.members["eve"]
    ProjectMember.objects.filter(member=eve).update(role=Role.GUEST)
    own = {make_issue(team, created_by=eve), make_issue(team, assignees=[eve])}
    client = by_token(eve)

    def listed() -> set[str]:
        return {row["id"] for row in client.get(issues_url(team.project)).json()["results"]}

    assert listed() == {str(one.id) for one in own}
    assert client.get(issue_url(issue, "comments/")).status_code == 404
    Project.objects.update(guest_view_all_features=True)
    assert listed() == {str(one.id) for one in {*own, issue}}
    assert client.get(issue_url(issue, "comments/")).status_code == 200


def test_addresses_that_do_not_belong_together(team: Team, issue: Issue) -> None:
    other = make_team("other")
    bob = team.members["bob"]
    WorkspaceMember.objects.create(workspace=other.workspace, member=bob, role=Role.MEMBER)
    ProjectMember.objects.create(
        workspace=other.workspace, project=other.project, member=bob, role=Role.MEMBER
    )
    client = by_token(bob)
    for url in (
        issues_url(team.project, slug="other"),
        issues_url(team.project, slug="unknown"),
        f"{issues_url(other.project)}{issue.id}/",
        f"{issues_url(team.project)}{uuid4()}/",
        f"/api/workspaces/acme/projects/{uuid4()}/issues/",
    ):
        response = client.get(url)
        assert (response.status_code, response.json().keys()) == (404, {"error"}), url


def test_what_is_not_offered_is_refused_in_json(team: Team, issue: Issue) -> None:
    client = by_token(team.members["bob"])
    put = client.put(issue_url(issue), {"name": "x"}, format="json")
    form = client.patch(issue_url(issue), "name=x", content_type="application/x-www-form-urlencoded")
    assert (put.status_code, form.status_code) == (405, 415)
    assert put.json().keys() == form.json().keys() == {"error"}


def test_who_calls_too_often_is_asked_to_wait(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UserRateThrottle, "rate", "2/min", raising=False)
    client = by_token(team.members["ann"])
    assert [client.get(issues_url(team.project)).status_code for _ in range(3)] == [200, 200, 429]
    answer = client.get(issues_url(team.project))
    assert set(answer.json()) == {"error"}
    assert int(answer.headers["Retry-After"]) > 0
