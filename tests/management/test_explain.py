"""``manage.py explain``."""

from uuid import uuid4

import pytest

from project.limits import Limits
from project.models import EmailDigest, EmailNotificationLog, IssueEvent, Notification
from project.services.digests.claim import claim
from project.services.notifications.fan_out import fan_out
from tests.factories import Team, make_issue, make_team
from tests.management.ran import refused, run, run_json
from tests.services.exports.exporting import requested
from tests.services.notifications.events import COMMENTED, NOW, make_event

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    """Bob follows an issue, and ann comments on it."""
    team = make_team()
    issue = make_issue(team, subscribers=[team.members["bob"]])
    fan_out(make_event(issue, team.members["ann"], COMMENTED).id, 1, now=NOW, limits=Limits())
    claim(now=NOW + Limits().window_idle, limits=Limits())
    return team


def test_a_person_and_an_issue_in_lines(team):
    text = run("explain", "user", "Bob@acme.example", "issue", "ACME-1")
    assert text.splitlines()[0] == "ACME-1 for bob: issue updated"
    assert "2026-03-02 09:00:00 UTC  inbox    is in the inbox\n" in text
    assert "— they follow the issue" in text


def test_the_same_as_json(team):
    bob = team.members["bob"]
    [story] = run_json("explain", "user", bob.id, "issue", "acme/acme-1")
    assert story["title"] == "ACME-1 for bob: issue updated"
    assert story["steps"][-1] == {
        "name": "waiting",
        "when": "2026-03-02 09:02:00+00:00",
        "what": "is sent with the next tick at the latest",
        "because": "",
    }


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        ("log", EmailNotificationLog),
        ("digest", EmailDigest),
        ("notification", Notification),
        ("event", IssueEvent),
    ],
)
def test_each_kind_of_row_by_its_id(team, kind, model):
    [story] = run_json("explain", kind, model.objects.get().id)
    assert story["title"].startswith("ACME-1")
    assert "change" in [step["name"] for step in story["steps"]]


def test_an_export_by_its_id(team):
    export = requested(team, by="bob", now=NOW)
    [story] = run_json("explain", "export", export.id)
    assert story["title"] == "acme for bob: an export as CSV"
    assert [step["name"] for step in story["steps"]] == ["wish", "waiting"]


def test_an_issue_without_events(team):
    make_issue(team)
    assert (
        run("explain", "user", "bob@acme.example", "issue", "ACME-2")
        == "Nothing has happened on this issue.\n"
    )


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("log", uuid4()), "no such log row"),
        (("digest", "ACME-1"), "this is no id"),
        (("export", uuid4()), "no such export"),
        (("user", "nobody@example.org", "issue", "ACME-1"), "no such user"),
        (("user", "bob@acme.example", "issue", "ACME-99"), "no such issue"),
        (("user", "bob@acme.example", "project", "ACME"), "invalid choice"),
    ],
)
def test_a_mistake_is_answered_with_what_to_do(team, words, answer):
    assert answer in refused("explain", *words)
