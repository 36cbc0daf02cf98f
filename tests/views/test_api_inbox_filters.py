"""Filters of the inbox in an address: what they select, and that no value is guessed at."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from tests.factories import Team, make_issue, make_team
from tests.services.notifications.inboxes import make_notification
from tests.views.api import by_token

pytestmark = pytest.mark.django_db

INBOX = "/api/workspaces/acme/users/notifications/"


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def client(team: Team) -> APIClient:
    return by_token(team.members["bob"])


@pytest.fixture
def _told(team: Team) -> None:
    bob = team.members["bob"]
    now, soon = timezone.now(), timezone.now() + timedelta(hours=1)
    make_notification(bob, make_issue(team, subscribers=[bob]), title="followed")
    make_notification(bob, make_issue(team, assignees=[bob]), title="assigned", read_at=now)
    make_notification(bob, make_issue(team, created_by=bob), title="created")
    make_notification(bob, make_issue(team), title="mention", reason="mentioned")
    make_notification(bob, make_issue(team), title="snoozed", snoozed_till=soon)
    make_notification(bob, make_issue(team), title="awake again", snoozed_till=now - timedelta(hours=1))
    make_notification(bob, make_issue(team), title="archived", archived_at=now)
    make_notification(bob, make_issue(team), title="archived, snoozed", archived_at=now, snoozed_till=soon)


HERE = {"followed", "assigned", "created", "mention", "awake again"}


@pytest.mark.usefixtures("_told")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", HERE),
        ("type=all", HERE),
        ("type=subscribed", {"followed"}),
        ("type=watching", {"followed"}),
        ("type=assigned,created", {"assigned", "created"}),
        ("type=assigned,all", HERE),
        ("read=true", {"assigned"}),
        ("read=false", HERE - {"assigned"}),
        ("mentioned=true", {"mention"}),
        ("mentioned=false", HERE - {"mention"}),
        ("snoozed=true", {"snoozed"}),
        ("archived=true", {"archived", "archived, snoozed"}),
        ("archived=true&snoozed=false", {"archived"}),
        ("archived=false&snoozed=false&read=true&type=assigned", {"assigned"}),
        ("read=false&read=true", {"assigned"}),
    ],
)
def test_filters(client: APIClient, query: str, expected: set[str]) -> None:
    rows = client.get(f"{INBOX}?{query}").json()["results"]
    assert {row["title"] for row in rows} == expected


BAD = [
    *[(name, bad) for name in ("read", "snoozed", "archived", "mentioned") for bad in ("", "1", "True", "\0")],
    *[("type", bad) for bad in ("", "mine", "assigned,", "ASSIGNED", "assigned;created")],
    *[("per_page", bad) for bad in ("", "0", "-1", "301", "ten", "9999999999", "１")],
    *[("cursor", bad) for bad in ("", "50", "50:-1:1", "0:0:0", "999:0:0", "50:9999999:0", "50:0:2", "a:0:0")],
]  # fmt: skip


@pytest.mark.parametrize(("name", "bad"), BAD)
def test_a_value_that_is_unknown_is_named(client: APIClient, name: str, bad: str) -> None:
    answer = client.get(INBOX, {name: bad})
    assert (answer.status_code, answer.json().keys()) == (400, {name})


@pytest.mark.usefixtures("_told")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        *[({"read": bad}, "read") for bad in (1, 0, "yes", None, [], {})],
        *[({"type": bad}, "type") for bad in (None, 5, ["assigned"], "mine")],
        ({"metioned": "true"}, "metioned"),
        ([], "non_field_errors"),
        ("all", "non_field_errors"),
    ],
)
def test_nothing_is_marked_read_by_a_body_that_is_wrong(client: APIClient, body: Any, field: str) -> None:
    before = client.get(f"{INBOX}unread/").json()
    answer = client.post(f"{INBOX}mark-all-read/", body, format="json")
    assert (answer.status_code, answer.json().keys()) == (400, {field})
    assert client.get(f"{INBOX}unread/").json() == before
