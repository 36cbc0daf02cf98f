"""The page of an issue: what mails lead to."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve
from django.utils import timezone

from project.models import Issue, IssueActivity, IssueSubscriber, User
from project.services.digests.context import load
from project.services.digests.letter import view_of
from project.services.notifications.comments import create_comment
from project.services.notifications.issues import update_issue
from tests.factories import Team, make_comment, make_issue, make_label, make_team
from tests.services.digests.lines import make_activity, make_digest
from tests.services.notifications.inboxes import make_notification

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def bob(team: Team) -> User:
    return team.members["bob"]


@pytest.fixture
def client(bob: User) -> Client:
    client = Client()
    client.force_login(bob)
    return client


def url(issue: Issue) -> str:
    return f"/acme/projects/{issue.project_id}/issues/{issue.id}"


def test_the_history_leaves_out_what_a_machine_keeps(team: Team, client: Client) -> None:
    issue = make_issue(team)
    for field in ("priority", "sort_order"):
        make_activity(issue, team.members["ann"], field=field)
    assert [b"riority" in (page := client.get(url(issue)).content), b"ort order" in page] == [True, False]


def test_the_links_of_a_mail_lead_to_pages(team: Team, bob: User, client: Client) -> None:
    context = load(make_digest(bob, make_issue(team)).id)
    view = view_of(context, context.matters[0], [], "https://tracker.example")
    pages = [link.removeprefix("https://tracker.example") for link in (view.issue_url, view.preferences_url)]
    assert [resolve(page).url_name for page in pages] == ["issue", "preferences"]
    assert [client.get(page).status_code for page in pages] == [200, 200]


def test_what_it_shows(team: Team, bob: User, client: Client) -> None:
    issue = make_issue(
        team,
        name="Mend the gate",
        description_html="<p>It <strong>creaks</strong>.</p><img src=x><script>alert(1)</script>",
        assignees=[team.members["carl"]],
        priority="high",
        target_date="2026-05-04",
    )
    make_label(team, "wood", issue)
    ann, now = team.members["ann"], timezone.now()
    update_issue(issue.id, {"state_id": team.states["started"].id}, actor=ann, now=now)
    mention = f'<mention-component entity_identifier="{bob.id}" entity_name="user_mention"/>'
    create_comment(issue.id, f"<p>For {mention}</p>", actor=ann, now=now)
    page = client.get(url(issue)).content.decode()
    for text in ("Mend the gate", "ACME-1", "Started", "High", "carl", "wood", "4 May 2026"):
        assert text in page
    assert "<p>It <strong>creaks</strong>.</p>" in page
    assert "<p>For <strong>@bob</strong></p>" in page
    assert "alert" not in page
    assert "<img" not in page
    assert ">Backlog</span>" in page


def test_following_and_leaving(team: Team, bob: User, client: Client) -> None:
    issue = make_issue(team)
    for does, offered, following in (("follow", "Unsubscribe", True), ("leave", "Subscribe", False)):
        page = client.post(url(issue), {"do": does}, follow=True).content.decode()
        assert f">{offered}</button>" in page
        assert IssueSubscriber.objects.filter(issue=issue, subscriber=bob).exists() == following


def test_what_is_unread_about_it_can_be_marked_read_here(team: Team, bob: User, client: Client) -> None:
    issue = make_issue(team)
    here, elsewhere = (make_notification(bob, about) for about in (issue, make_issue(team)))
    assert "1 unread notification about this issue." in client.get(url(issue)).content.decode()
    page = client.post(url(issue), {"do": "read"}, follow=True).content.decode()
    assert "about this issue" not in page
    for row in (here, elsewhere):
        row.refresh_from_db()
    assert (here.read_at is not None, elsewhere.read_at) == (True, None)


def deleted(issue: Issue) -> None:
    Issue.objects.filter(id=issue.id).update(deleted_at=timezone.now())


def removed(issue: Issue) -> None:
    issue.delete()


@pytest.mark.parametrize("happens", [deleted, removed])
def test_an_issue_that_is_gone(team: Team, client: Client, happens: Callable[[Issue], None]) -> None:
    issue = make_issue(team)
    address = url(issue)
    happens(issue)
    for answer in (client.get(address), client.post(address, {"do": "follow"})):
        assert (answer.status_code, "There is no such issue." in answer.content.decode()) == (404, True)


def test_the_newest_hundred_are_shown_in_a_constant_number_of_queries(
    team: Team, bob: User, client: Client
) -> None:
    issue = make_issue(team)

    def tell(number: int) -> None:
        for n in range(number):
            make_comment(issue, bob, f"<p>Remark {n}.</p>", created_at=timezone.now())
        IssueActivity.objects.bulk_create(
            IssueActivity(
                issue=issue, project=team.project, workspace=team.workspace, actor=bob, field="name"
            )
            for _ in range(number)
        )

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(url(issue)).status_code == 200
        return len(captured)

    tell(1)
    few = queries()
    tell(101)
    assert queries() == few <= 16
    page = client.get(url(issue)).content.decode()
    assert ("The newest 100" in page, page.count("Remark 0."), page.count("Remark 100.")) == (True, 0, 1)
