"""When mail comes, as a form of the settings; muting, as a button of an issue's page."""

from datetime import time

import pytest
from django.test import Client

from project.models import IssueMute, MailMode, MailSchedule, User
from project.services.notifications.schedule import is_muted
from project.views.pages.schedule import MODES
from tests.factories import Team, make_issue, make_team

pytestmark = pytest.mark.django_db

SETTINGS = "/acme/settings/account/notifications/"
FORM = {"mode": "daily", "daily_at": "07:30", "quiet_from": "", "quiet_until": ""}


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


def save(client: Client, **fields: str) -> str:
    return client.post(f"{SETTINGS}schedule/", {**FORM, **fields}, follow=True).content.decode()


def test_each_mode_has_its_words() -> None:
    assert {*MODES} == {*MailMode}


def test_what_is_saved_is_shown_again_with_when_the_next_mail_would_come(bob: User, client: Client) -> None:
    bob.user_timezone = "Europe/Istanbul"
    bob.save()
    page = save(client, quiet_from="22:00", quiet_until="08:00")
    assert "Saved: when mail comes." in page
    for words in (
        'name="mode" value="daily" checked',
        'name="daily_at" value="07:30"',
        'name="quiet_from" value="22:00"',
        'name="mentions_at_once">',
        "What happens now is mailed by 08:01",  # the daily mail waits for the end of quiet hours
        "Times are in Europe/Istanbul.",
    ):
        assert words in page
    row = MailSchedule.objects.get(user=bob)
    assert (row.mode, row.quiet_from, row.mentions_at_once) == (MailMode.DAILY, time(22), False)
    assert "You get no mail." in save(client, mode="off", mentions_at_once="on")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"daily_at": "soon"}, "Times are written like 08:30."),
        ({"mode": "weekly"}, "Times are written like 08:30."),
        ({"quiet_from": "22:00"}, "Quiet hours need both a beginning and an end."),
        (
            {"quiet_from": "22:00", "quiet_until": "22:00"},
            "Quiet hours must end at another time than they begin.",
        ),
    ],
)
def test_what_cannot_be_is_not_saved_and_says_why(client: Client, fields: dict[str, str], why: str) -> None:
    assert f"Not saved. {why}" in save(client, **fields)
    assert not MailSchedule.objects.exists()


def test_mute_and_unmute_on_the_page_of_an_issue(team: Team, bob: User, client: Client) -> None:
    issue = make_issue(team)
    url = f"/acme/projects/{issue.project_id}/issues/{issue.id}"
    assert b'value="mute"' in client.get(url).content
    assert (
        "You get no mail about this issue." in client.post(url, {"do": "mute"}, follow=True).content.decode()
    )
    assert is_muted(issue.id, bob)
    assert not is_muted(issue.id, team.members["carl"])
    assert b'value="unmute"' in client.get(url).content
    client.post(url, {"do": "unmute"})
    assert not IssueMute.objects.exists()
