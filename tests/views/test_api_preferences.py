"""Notification preferences over HTTP."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from project.models import ProjectMember, UserNotificationPreference, WorkspaceMember
from project.services.notifications.preferences import FLAGS
from tests.factories import Team, make_team
from tests.views.api import by_token

pytestmark = pytest.mark.django_db

MINE = "/api/users/me/notification-preferences/"
WORKSPACE = "/api/workspaces/acme/notification-preferences/"
ALL_ON = dict.fromkeys(FLAGS, True)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def client(team: Team) -> APIClient:
    return by_token(team.members["bob"])


def of_project(team: Team) -> str:
    return f"/api/workspaces/acme/projects/{team.project.id}/notification-preferences/"


def test_the_general_ones_are_on_until_they_are_changed(client: APIClient) -> None:
    assert client.get(MINE).json() == ALL_ON
    changed = {**ALL_ON, "comment": False}
    assert client.patch(MINE, {"comment": False}, format="json").json() == changed
    assert client.patch(MINE, {}, format="json").json() == changed
    assert client.get(MINE).json() == changed


def test_everybody_has_their_own(team: Team, client: APIClient) -> None:
    client.patch(MINE, {"comment": False}, format="json")
    assert by_token(team.members["eve"]).get(MINE).json() == ALL_ON


def test_a_place_inherits_until_it_is_decided_and_after_it_was_forgotten(
    team: Team, client: APIClient
) -> None:
    project = of_project(team)

    def seen() -> list[tuple[str, bool]]:
        found = [client.get(url).json() for url in (WORKSPACE, project)]
        return [(one["source"], one["comment"]) for one in found]

    assert seen() == [("default", True), ("default", True)]
    client.patch(MINE, {"comment": False}, format="json")
    assert seen() == [("general", False), ("general", False)]
    answer = client.put(WORKSPACE, {**ALL_ON, "mention": False}, format="json")
    assert answer.json() == {**ALL_ON, "mention": False, "source": "workspace"}
    assert seen() == [("workspace", True), ("workspace", True)]
    client.put(project, {**ALL_ON, "comment": False}, format="json")
    assert seen() == [("workspace", True), ("project", False)]
    assert [client.delete(project).status_code for _ in range(2)] == [204, 204]
    assert client.delete(WORKSPACE).status_code == 204
    assert seen() == [("general", False), ("general", False)]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        *[({"comment": bad}, {"comment"}) for bad in ("true", "off", 1, 0, None, [], {})],
        ({"comment": False, "user": "00000000-0000-0000-0000-000000000001"}, {"user"}),
        ({"workspace": None, "project": None, "comment": False}, {"workspace", "project"}),
        ({"comments": False}, {"comments"}),
        ([], {"non_field_errors"}),
    ],
)
def test_only_the_five_can_be_written_and_only_as_booleans(
    team: Team, client: APIClient, body: Any, fields: set[str]
) -> None:
    whole = {**ALL_ON, **body} if isinstance(body, dict) else body
    for answer in (
        client.patch(MINE, body, format="json"),
        client.put(WORKSPACE, whole, format="json"),
        client.put(of_project(team), whole, format="json"),
    ):
        assert (answer.status_code, answer.json().keys()) == (400, fields)
    assert not UserNotificationPreference.objects.exists()


def test_an_override_is_whole(client: APIClient) -> None:
    answer = client.put(WORKSPACE, {"comment": False}, format="json")
    assert (answer.status_code, {*answer.json()}) == (400, {*FLAGS} - {"comment"})


def test_places_that_are_not_the_callers(team: Team, client: APIClient) -> None:
    make_team("other")
    assert client.get("/api/workspaces/other/notification-preferences/").status_code == 404
    ProjectMember.objects.filter(member=team.members["bob"]).update(is_active=False)
    assert client.put(of_project(team), ALL_ON, format="json").status_code == 403
    WorkspaceMember.objects.filter(member=team.members["bob"]).update(is_active=False)
    assert client.put(WORKSPACE, ALL_ON, format="json").status_code == 404
    assert APIClient().get(MINE).status_code == 401
    assert not UserNotificationPreference.objects.exists()


def test_queries_are_few(team: Team, client: APIClient) -> None:
    for url, most in ((MINE, 2), (WORKSPACE, 3), (of_project(team), 3)):
        with CaptureQueriesContext(connection) as captured:
            assert client.get(url).status_code == 200
        assert len(captured) <= most, url
