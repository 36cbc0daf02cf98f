"""The inbox over HTTP: shapes, marks, counts."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from project.models import Notification, User
from tests.factories import Team, make_issue, make_team
from tests.services.notifications.inboxes import make_notification
from tests.views.api import by_token

pytestmark = pytest.mark.django_db

INBOX = "/api/workspaces/acme/users/notifications/"


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def bob(team: Team) -> User:
    return team.members["bob"]


@pytest.fixture
def client(bob: User) -> APIClient:
    return by_token(bob)


@pytest.fixture
def one(team: Team, bob: User) -> Notification:
    return make_notification(bob, make_issue(team), actor=team.members["ann"])


def url(row: Notification, rest: str = "") -> str:
    return f"{INBOX}{row.id}/{rest}"


def test_a_list_is_in_planes_envelope(client: APIClient, one: Notification) -> None:
    answer = client.get(INBOX).json()
    assert answer.pop("results") == [client.get(url(one)).json()]
    assert answer == {
        "grouped_by": None,
        "sub_grouped_by": None,
        "total_count": 1,
        "next_cursor": "50:1:0",
        "prev_cursor": "50:-1:1",
        "next_page_results": False,
        "prev_page_results": False,
        "count": 1,
        "total_pages": 1,
        "total_results": 1,
        "extra_stats": None,
    }


def test_a_notification_is_in_planes_shape(team: Team, client: APIClient, one: Notification) -> None:
    row = client.get(url(one)).json()
    ann = team.members["ann"]
    details = {"id": str(ann.id), "first_name": "Ann", "last_name": "", "avatar": "", "is_bot": False}
    assert row["triggered_by_details"] == {**details, "display_name": "ann"}
    assert row["data"]["issue"]["name"] == "Fix the door"
    expected = {
        "id": str(one.id),
        "title": "updated the priority to",
        "receiver": str(one.receiver_id),
        "triggered_by": str(ann.id),
        "entity_identifier": str(one.entity_identifier),
        "entity_name": "issue",
        "sender": "in_app:issue_activities:subscribed",
        "read_at": None,
        "snoozed_till": None,
        "archived_at": None,
        "is_mentioned_notification": False,
        "is_inbox_issue": False,
        "is_intake_issue": False,
    }
    assert {key: row[key] for key in expected} == expected


def test_pages_hold_each_row_once_and_lead_on(team: Team, bob: User, client: APIClient) -> None:
    rows = {str(make_notification(bob, make_issue(team)).id) for _ in range(7)}
    cursor, seen, sizes = "3:0:0", list[str](), list[int]()
    while True:
        page = client.get(INBOX, {"per_page": 3, "cursor": cursor}).json()
        seen += [row["id"] for row in page["results"]]
        sizes.append(page["count"])
        if not page["next_page_results"]:
            break
        cursor = page["next_cursor"]
    assert (sizes, len(seen), {*seen}) == ([3, 3, 1], 7, rows)
    assert (page["total_pages"], page["prev_cursor"], page["prev_page_results"]) == (3, "3:1:1", True)
    assert client.get(INBOX, {"cursor": "3:99:0"}).json()["results"] == []
    back = client.get(INBOX, {"cursor": page["prev_cursor"]}).json()
    assert [row["id"] for row in back["results"]] == seen[3:6]


@pytest.mark.parametrize(("mark", "column"), [("read/", "read_at"), ("archive/", "archived_at")])
def test_marks(client: APIClient, one: Notification, mark: str, column: str) -> None:
    first, again = (client.post(url(one, mark)).json()[column] for _ in range(2))
    assert first
    assert again == first
    assert [client.delete(url(one, mark)).json()[column] for _ in range(2)] == [None, None]


def test_snooze_and_wake(client: APIClient, one: Notification) -> None:
    until = (timezone.now() + timedelta(hours=3)).isoformat().replace("+00:00", "Z")
    answer = client.patch(url(one), {"snoozed_till": until}, format="json")
    assert (answer.status_code, answer.json()["snoozed_till"]) == (200, until)
    assert client.get(INBOX).json()["count"] == 0
    assert client.patch(url(one), {"snoozed_till": None}, format="json").json()["snoozed_till"] is None
    assert client.get(INBOX).json()["count"] == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "snoozed_till"),
        ({"snoozed_till": "2020-01-01T00:00:00Z"}, "snoozed_till"),
        ({"snoozed_till": "tomorrow"}, "snoozed_till"),
        ({"snoozed_till": 5}, "snoozed_till"),
        ({"snoozed_till": None, "read_at": None}, "read_at"),
        ([], "non_field_errors"),
    ],
)
def test_what_else_is_sent_is_named_and_changes_nothing(
    client: APIClient, one: Notification, body: Any, field: str
) -> None:
    before = client.get(url(one)).json()
    answer = client.patch(url(one), body, format="json")
    assert (answer.status_code, answer.json().keys()) == (400, {field})
    assert client.get(url(one)).json() == before


def test_delete(client: APIClient, one: Notification) -> None:
    gone = (404, {"error": "There is no such notification."})
    assert client.delete(url(one)).status_code == 204
    for answer in (
        client.delete(url(one)),
        client.get(url(one)),
        client.post(url(one, "read/")),
        client.delete(f"{INBOX}{uuid4()}/"),
    ):
        assert (answer.status_code, answer.json()) == gone


def test_counts(team: Team, bob: User, client: APIClient) -> None:
    issue = make_issue(team)
    for reason in ("subscribed", "assigned", "mentioned"):
        make_notification(bob, issue, reason=reason)
    counted = client.get(f"{INBOX}unread/").json()
    assert counted == {"total_unread_notifications_count": 3, "mention_unread_notifications_count": 1}


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ({}, {"snoozed", "archived"}),
        ({"mentioned": True}, {"assigned", "snoozed", "archived"}),
        ({"type": "assigned"}, {"mention", "snoozed", "archived"}),
        ({"type": "watching", "snoozed": False, "archived": False}, {"mention", "assigned", "snoozed", "archived"}),
        ({"type": "all", "snoozed": True}, {"mention", "assigned", "archived"}),
        ({"archived": True}, {"mention", "assigned", "snoozed"}),
    ],
)  # fmt: skip
def test_mark_all_read_means_what_the_filters_select(
    team: Team, bob: User, client: APIClient, body: dict[str, Any], left: set[str]
) -> None:
    soon = timezone.now() + timedelta(hours=1)
    make_notification(bob, make_issue(team), title="mention", reason="mentioned")
    make_notification(bob, make_issue(team, assignees=[bob]), title="assigned")
    make_notification(bob, make_issue(team), title="snoozed", snoozed_till=soon)
    make_notification(bob, make_issue(team), title="archived", archived_at=timezone.now())
    answer = client.post(f"{INBOX}mark-all-read/", body, format="json")
    assert (answer.status_code, answer.json()) == (200, {"message": "Successful"})
    assert set(Notification.objects.filter(read_at=None).values_list("title", flat=True)) == left
