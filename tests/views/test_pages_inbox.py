"""The inbox as a page."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from project.models import IssueComment, Notification, User
from project.services.digests.avatar import COLOURS
from tests.architecture import ROOT
from tests.factories import Team, make_comment, make_issue, make_team
from tests.services.notifications.inboxes import make_notification

pytestmark = pytest.mark.django_db

INBOX = "/acme/inbox/"
MENTIONING = (
    '<p>Look, <mention-component entity_identifier="{}" entity_name="user_mention"/>: &lt;here&gt;</p>'
)


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


def told_of(client: Client, query: str = "") -> list[str]:
    """The titles of the issues that a tab shows."""
    return [entry.issue_title for entry in client.get(f"{INBOX}{query}").context["entries"]]


def notify(team: Team, name: str, *, issue: dict[str, Any] | None = None, **fields: Any) -> Notification:
    return make_notification(team.members["bob"], make_issue(team, name=name, **(issue or {})), **fields)


def test_tabs(team: Team, bob: User, client: Client) -> None:
    now, soon = timezone.now(), timezone.now() + timedelta(hours=1)
    notify(team, "mention", reason="mentioned")
    notify(team, "assigned", issue={"assignees": [bob]}, read_at=now)
    notify(team, "created", issue={"created_by": bob})
    notify(team, "snoozed", snoozed_till=soon)
    notify(team, "archived", archived_at=now, snoozed_till=soon)
    assert {*told_of(client)} == {*told_of(client, "?tab=all")} == {"mention", "assigned", "created"}
    for tab in ("assigned", "created", "snoozed", "archived"):
        assert told_of(client, f"?tab={tab}") == [tab]
    assert told_of(client, "?tab=mentions") == ["mention"]
    assert {*told_of(client, "?tab=unread")} == {"mention", "created"}


@pytest.mark.parametrize(
    "query", ["?tab=", "?tab=moon", "?page=0", "?page=x", "?page=-1", "?page=9999", "?page=٣"]
)
def test_what_is_not_there(client: Client, query: str) -> None:
    assert client.get(f"{INBOX}{query}").status_code == 404


def test_pages(team: Team, bob: User, client: Client) -> None:
    for n in range(31):
        make_notification(bob, make_issue(team, name=f"n{n}"), created_at=timezone.now() - timedelta(hours=n))
    first, second = client.get(INBOX), client.get(f"{INBOX}?page=2")
    assert [len(page.context["entries"]) for page in (first, second)] == [30, 1]
    assert ("Older" in first.content.decode(), "Older" in second.content.decode()) == (True, False)
    assert told_of(client, "?page=2") == ["n30"]
    assert "Nothing here" in client.get(f"{INBOX}?page=3").content.decode()


def test_the_number_of_queries_does_not_grow(team: Team, bob: User, client: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(INBOX).status_code == 200
        return len(captured)

    def tell() -> None:
        comment = make_comment(make_issue(team), team.members["ann"], MENTIONING.format(bob.id))
        activity = {"field": "comment", "new_identifier": str(comment.id), "new_value": "x"}
        make_notification(bob, comment.issue, actor=team.members["ann"], activity=activity)

    tell()
    few = queries()
    for _ in range(10):
        tell()
    assert queries() == few <= 7


def test_a_comment_is_told_as_it_is_now(team: Team, bob: User, client: Client) -> None:
    comment = make_comment(make_issue(team), team.members["ann"], MENTIONING.format(bob.id))
    activity = {
        "field": "comment",
        "new_identifier": str(comment.id),
        "issue_comment": "old",
        "new_value": "o",
    }
    make_notification(bob, comment.issue, reason="mentioned", activity=activity)
    page = client.get(INBOX).content.decode()
    assert "Look, @bob: &lt;here&gt;" in page
    assert "mentioned you in a comment" in page
    IssueComment.objects.update(deleted_at=timezone.now())
    page = client.get(INBOX).content.decode()
    assert "mentioned you in a comment" in page
    assert "Look" not in page


STRANGE: list[Any] = [
    None,
    [],
    "text",
    {"issue": None, "issue_activity": []},
    {"issue": {"name": None, "sequence_id": []}, "issue_activity": {"field": 5, "new_value": {}}},
    {"issue_activity": {"field": "comment", "new_identifier": 7}},
    {"issue_activity": {"field": "comment", "new_identifier": "no id", "issue_comment": ["x"]}},
]


def test_strange_data_cost_their_own_words_only(team: Team, client: Client) -> None:
    for data in STRANGE:
        notify(team, "x", data=data)
    notify(team, "sound")
    assert sorted(told_of(client)) == ["An issue"] * len(STRANGE) + ["sound"]


def test_what_people_wrote_is_escaped(team: Team, bob: User, client: Client) -> None:
    bad = "<script>alert(1)</script>"
    User.objects.filter(id=team.members["ann"].id).update(display_name=bad)
    activity = {"field": "name", "old_value": bad, "new_value": bad}
    make_notification(bob, make_issue(team, name=bad), actor=team.members["ann"], activity=activity)
    page = client.get(INBOX).content.decode()
    assert bad not in page
    assert page.count("&lt;script&gt;") == 4


def test_each_colour_of_an_avatar_is_in_the_style_sheet() -> None:
    css = (ROOT / "project/static/pages/style.css").read_text()
    rules = [f'[data-colour="{colour}"] {{ background: {colour}; }}' for colour in COLOURS]
    assert [rule for rule in rules if rule not in css] == []
