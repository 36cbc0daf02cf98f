"""Who sees the members' pages, and what a browser is told to keep them in."""

from collections.abc import Callable

import pytest
from django.test import Client

from project.models import Issue, Notification, ProjectMember, Role, User, WorkspaceMember
from tests.factories import Team, make_issue, make_team
from tests.services.notifications.inboxes import make_notification

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def issue(team: Team) -> Issue:
    return make_issue(team)


@pytest.fixture
def row(team: Team, issue: Issue) -> Notification:
    return make_notification(team.members["bob"], issue)


def issue_url(issue: Issue) -> str:
    return f"/acme/projects/{issue.project_id}/issues/{issue.id}"


def shown(issue: Issue) -> list[str]:
    return ["/acme/inbox/", "/acme/settings/account/notifications/", issue_url(issue)]


def changing(row: Notification, issue: Issue) -> list[tuple[str, dict[str, str]]]:
    return [
        (f"/acme/inbox/{row.id}/", {"do": "archive"}),
        ("/acme/inbox/mark-all-read/", {}),
        ("/acme/settings/account/notifications/", {"place": "everywhere"}),
        (issue_url(issue), {"do": "follow"}),
    ]


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_pages_load_only_what_is_ours_and_are_not_kept(team: Team, issue: Issue) -> None:
    client = signed_in(team.members["bob"])
    for url in ("/sign-in/", *shown(issue), "/nowhere/inbox/"):
        headers = (client if url != "/sign-in/" else Client()).get(url).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert "no-store" in headers["Cache-Control"]


def test_no_page_carries_style_or_script_of_its_own(team: Team, issue: Issue, row: Notification) -> None:
    client = signed_in(team.members["bob"])
    for url in shown(issue):
        html = client.get(url).content.decode()
        assert " style=" not in html
        assert "<style" not in html
        assert html.count("<script") == 1


def test_a_stranger_is_led_to_the_sign_in_and_back(client: Client, issue: Issue, row: Notification) -> None:
    for url in shown(issue):
        assert client.get(url).headers["Location"] == f"/sign-in/?next={url}"
    for url, body in changing(row, issue):
        assert client.post(url, body).headers["Location"] == "/sign-in/?next=/"


def outsider(user: User) -> None:
    WorkspaceMember.objects.filter(member=user).delete()


def former(user: User) -> None:
    WorkspaceMember.objects.filter(member=user).update(is_active=False)


@pytest.mark.parametrize("becomes", [outsider, former])
def test_outside_there_is_no_such_workspace(
    team: Team, issue: Issue, row: Notification, becomes: Callable[[User], None]
) -> None:
    becomes(team.members["bob"])
    client = signed_in(team.members["bob"])
    answers = [*map(client.get, shown(issue)), *(client.post(*call) for call in changing(row, issue))]
    for answer in answers:
        assert answer.status_code == 404
        assert "There is no such workspace." in answer.content.decode()
    assert Notification.objects.filter(archived_at=None, read_at=None).count() == 1


def test_an_issue_is_shown_to_those_who_may_see_it(team: Team, issue: Issue) -> None:
    client = signed_in(team.members["bob"])
    membership = ProjectMember.objects.filter(member=team.members["bob"])
    assert client.get(issue_url(issue)).status_code == 200
    membership.update(role=Role.GUEST)
    assert client.get(issue_url(issue)).status_code == 404
    membership.update(is_active=False)
    assert client.get(issue_url(issue)).status_code == 403
    assert issue.name not in client.get(issue_url(issue)).content.decode()


def test_others_notifications_cannot_be_marked(team: Team, row: Notification) -> None:
    client = signed_in(team.members["eve"])
    assert client.post(f"/acme/inbox/{row.id}/", {"do": "archive"}).status_code == 404
    client.post("/acme/inbox/mark-all-read/")
    assert Notification.objects.filter(archived_at=None, read_at=None).count() == 1


def test_nothing_is_changed_without_the_csrf_token(team: Team, issue: Issue, row: Notification) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(team.members["bob"])
    assert [client.post(*call).status_code for call in changing(row, issue)] == [403] * 4


def test_buttons_that_are_not_there(team: Team, issue: Issue, row: Notification) -> None:
    client = signed_in(team.members["bob"])
    for url in (f"/acme/inbox/{row.id}/", issue_url(issue)):
        answer = client.post(url, {"do": "explode"})
        assert (answer.status_code, "There is no such button." in answer.content.decode()) == (400, True)
    assert client.post("/acme/settings/account/notifications/", {"place": "moon"}).status_code == 404


def test_the_admin_the_api_and_the_files_keep_their_addresses(client: Client) -> None:
    assert client.get("/admin/login/").status_code == 200
    assert client.get("/api/users/me/notification-preferences/").status_code == 401
    file = client.get("/static/pages/style.css")
    assert (file.status_code, b":root" in b"".join(file)) == (200, True)
