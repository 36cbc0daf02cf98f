"""Ends of exports in the inbox: in the API, on the page, in the counts."""

from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from project.models import Notification, ProjectMember, User
from tests.factories import Team, make_team
from tests.services.exports.ended import completed, failed

pytestmark = pytest.mark.django_db(transaction=True)

INBOX = "/acme/inbox/"
API = "/api/workspaces/acme/users/notifications/"


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def ann(team: Team) -> Client:
    client = Client()
    client.force_login(team.members["ann"])
    return client


def shown(client: Client) -> str:
    return unescape(client.get(INBOX).content.decode())


def test_the_page_tells_what_there_is_and_until_when(team: Team, ann: Client) -> None:
    User.objects.update(user_timezone="Europe/Berlin")
    completed(team, now=timezone.now(), rows=1)
    page = shown(ann)
    assert "Your CSV export of Rocket is ready" in page
    assert "1 issue, to be fetched until " in page
    assert "A former member" not in page


def test_the_page_tells_why_there_is_nothing(team: Team, ann: Client) -> None:
    failed(team, "The <store> is away.", now=timezone.now())
    content = ann.get(INBOX).content.decode()
    assert "Your CSV export of Rocket failed" in content
    assert "The &lt;store&gt; is away." in content


def test_opening_it_leads_to_the_export_and_marks_it_read(team: Team, ann: Client) -> None:
    export = completed(team, now=timezone.now())
    row = Notification.objects.get()
    response = ann.post(f"{INBOX}{row.id}/", {"do": "open"})
    assert (response.status_code, response["Location"]) == (302, f"/acme/exports/#e-{export.id}")
    assert f'id="e-{export.id}"' in ann.get("/acme/exports/").content.decode()
    row.refresh_from_db()
    assert row.read_at


def test_the_api_lists_and_counts_it_also_for_who_is_in_no_project(team: Team, ann: Client) -> None:
    export = completed(team, now=timezone.now())
    ProjectMember.objects.all().delete()
    (row,) = ann.get(API).json()["results"]
    assert (row["entity_name"], row["entity_identifier"]) == ("export", str(export.id))
    assert (row["title"], row["project"]) == ("Your CSV export of Rocket is ready", None)
    assert row["data"]["export"]["rows"] == 1200
    assert ann.get(f"{API}unread/").json()["total_unread_notifications_count"] == 1
    assert ann.get(API, {"type": "assigned"}).json()["results"] == []


def test_nobody_else_has_it(team: Team) -> None:
    completed(team, now=timezone.now())
    bob = Client()
    bob.force_login(team.members["bob"])
    assert "Your CSV export" not in shown(bob)
    assert bob.get(f"{API}{Notification.objects.get().id}/").status_code == 404


@pytest.mark.parametrize("data", [None, [], {"export": 3}, {"export": {"offered_until": "soon"}}])
def test_strange_data_costs_its_own_words(team: Team, ann: Client, data: Any) -> None:
    completed(team, now=timezone.now())
    Notification.objects.update(data=data)
    assert "Your CSV export of Rocket is ready" in shown(ann)
