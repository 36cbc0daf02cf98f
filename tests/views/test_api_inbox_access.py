"""Whose inbox it is, and how many queries it takes."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.response import Response
from rest_framework.test import APIClient

from project.models import Notification, User, Workspace, WorkspaceMember
from tests.factories import Team, make_issue, make_team
from tests.services.notifications.inboxes import make_notification
from tests.views.api import by_session, by_token

pytestmark = pytest.mark.django_db

INBOX = "/api/workspaces/acme/users/notifications/"


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def one(team: Team) -> Notification:
    return make_notification(team.members["bob"], make_issue(team))


def calls(row: Notification) -> list[tuple[str, str]]:
    """Every method and address of the inbox, those of one notification first."""
    one = f"{INBOX}{row.id}/"
    return [
        *((method, one) for method in ("get", "patch", "delete")),
        *((method, f"{one}{mark}/") for mark in ("read", "archive") for method in ("post", "delete")),
        ("get", INBOX),
        ("get", f"{INBOX}unread/"),
        ("post", f"{INBOX}mark-all-read/"),
    ]


def call(client: APIClient, method: str, url: str) -> Response:
    body = {"snoozed_till": None} if method == "patch" else {}
    response: Response = getattr(client, method)(url, body, format="json")
    return response


def answers(client: APIClient, row: Notification) -> list[tuple[int, str]]:
    responses = [call(client, method, url) for method, url in calls(row)]
    return [(r.status_code, (r.json() if r.content else {}).get("error", "")) for r in responses]


def test_others_cannot_see_or_change_it(team: Team, one: Notification) -> None:
    eve = by_token(team.members["eve"])
    assert answers(eve, one)[:7] == [(404, "There is no such notification.")] * 7
    assert eve.get(INBOX).json()["results"] == []
    before = Notification.objects.filter(id=one.id).values().get()
    eve.post(f"{INBOX}mark-all-read/", {}, format="json")
    assert Notification.objects.filter(id=one.id).values().get() == before


def left(user: User) -> None:
    WorkspaceMember.objects.filter(member=user).update(is_active=False)


def removed(user: User) -> None:
    WorkspaceMember.objects.filter(member=user).update(deleted_at=timezone.now())


def workspace_deleted(user: User) -> None:
    Workspace.objects.update(deleted_at=timezone.now())


@pytest.mark.parametrize("happened", [left, removed, workspace_deleted])
def test_the_inbox_goes_with_the_membership(
    team: Team, one: Notification, happened: Callable[[User], None]
) -> None:
    bob = team.members["bob"]
    happened(bob)
    assert set(answers(by_token(bob), one)) == {(404, "There is no such workspace.")}


def test_a_stranger_is_asked_who_they_are(one: Notification) -> None:
    assert {status for status, _ in answers(APIClient(), one)} == {401}


def test_a_session_will_do_and_needs_the_csrf_token_to_change_anything(team: Team, one: Notification) -> None:
    assert by_session(team.members["bob"]).get(INBOX).json()["count"] == 1
    strict = APIClient(enforce_csrf_checks=True)
    strict.force_login(team.members["bob"])
    assert strict.post(f"{INBOX}{one.id}/read/").status_code == 403


def test_the_number_of_queries_does_not_grow(team: Team, one: Notification) -> None:
    client = by_token(team.members["bob"])

    def queries() -> list[int]:
        numbers = []
        for method, url in calls(one):
            if (method, url) == ("delete", f"{INBOX}{one.id}/"):
                continue
            with CaptureQueriesContext(connection) as captured:
                assert call(client, method, url).status_code == 200
            numbers.append(len(captured))
        return numbers

    few = queries()
    for name in ("ann", "carl", "dora", "eve"):
        for _ in range(5):
            make_notification(team.members["bob"], make_issue(team), actor=team.members[name])
    assert queries() == few
    assert max(few) <= 4
