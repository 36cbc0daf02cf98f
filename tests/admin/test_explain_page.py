"""The explain page."""

from uuid import uuid4

import pytest
from django.urls import reverse

from project.limits import Limits
from project.models import EmailNotificationLog
from project.services.notifications.fan_out import fan_out
from tests.admin.staff import browser, operator, signed_in
from tests.factories import Team, make_issue, make_team
from tests.services.exports.exporting import requested
from tests.services.notifications.events import COMMENTED, NOW, make_event

pytestmark = pytest.mark.django_db
PAGE = reverse("explain")


@pytest.fixture
def team() -> Team:
    """Bob follows an issue, and ann comments on it."""
    team = make_team()
    issue = make_issue(team, subscribers=[team.members["bob"]])
    fan_out(make_event(issue, team.members["ann"], COMMENTED).id, 1, now=NOW, limits=Limits())
    return team


def test_it_asks(team):
    text = browser("operate").get(PAGE).content.decode()
    assert 'name="user"' in text
    assert 'name="about"' in text


def test_a_person_and_an_issue(team):
    text = browser("operate").get(PAGE, {"user": "bob@acme.example", "issue": "ACME-1"}).content.decode()
    assert "ACME-1 for bob: issue updated" in text
    assert "they follow the issue" in text
    assert "2026-03-02 09:02:00" in text


def test_one_row_reached_from_its_page(team):
    client, log = operator(), EmailNotificationLog.objects.get()
    detail = client.get(reverse("admin:project_emailnotificationlog_change", args=[log.pk])).content.decode()
    link = f"{PAGE}?about=log&amp;id={log.pk}"
    assert link in detail
    assert "ACME-1 for bob" in client.get(link.replace("&amp;", "&")).content.decode()


def test_an_export(team):
    export = requested(team, by="bob", now=NOW)
    page = browser("operate").get(PAGE, {"about": "export", "id": str(export.id)})
    assert "acme for bob: an export as CSV" in page.content.decode()


def test_an_issue_without_events(team):
    make_issue(team)
    page = browser("operate").get(PAGE, {"user": "bob@acme.example", "issue": "ACME-2"})
    assert "Nothing has happened on this issue." in page.content.decode()


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ({"user": "nobody@example.org", "issue": "ACME-1"}, "no such user"),
        ({"user": "bob@acme.example", "issue": "ACME-99"}, "no such issue"),
        ({"user": "bob@acme.example"}, "This field is required."),
        ({"about": "log", "id": str(uuid4())}, "no such log row"),
        ({"about": "export", "id": str(uuid4())}, "no such export"),
        ({"about": "log", "id": "ACME-1"}, "Enter a valid UUID."),
        ({"about": "moon", "id": str(uuid4())}, "Select a valid choice."),
    ],
)
def test_a_mistake_is_answered(team, query, answer):
    page = browser("operate").get(PAGE, query)
    assert (page.status_code, answer in page.content.decode()) == (200, True)


def test_operators_only(team):
    assert signed_in(team.members["bob"]).get(PAGE).status_code == 302
    assert browser().get(PAGE).status_code == 403
