"""When somebody wants mail, and about which issue none, over HTTP."""

from datetime import datetime, time

import pytest
from django.utils import timezone

from project.models import IssueMute, MailSchedule
from tests.factories import Team, make_issue, make_team
from tests.views.api import by_token, issue_url

pytestmark = pytest.mark.django_db

URL = "/api/users/me/mail-schedule/"
DEFAULT = {
    "mode": "window",
    "daily_at": "09:00",
    "quiet_from": None,
    "quiet_until": None,
    "mentions_at_once": True,
    "timezone": "Europe/Istanbul",
}


@pytest.fixture
def team() -> Team:
    team = make_team()
    bob = team.members["bob"]
    bob.user_timezone = "Europe/Istanbul"
    bob.save()
    return team


def test_what_is_not_decided_is_as_by_default_and_stays_when_the_rest_is(team: Team) -> None:
    client = by_token(team.members["bob"])
    shown = client.get(URL).json()
    assert datetime.fromisoformat(shown.pop("next_mail_by")) > timezone.now()
    assert shown == DEFAULT
    for change in ({"mode": "daily", "daily_at": "07:30"}, {"quiet_from": "22:00", "quiet_until": "08:00"}):
        answer = client.patch(URL, change, content_type="application/json")
        assert answer.status_code == 200
    del (shown := answer.json())["next_mail_by"]
    assert shown == {
        **DEFAULT, "mode": "daily", "daily_at": "07:30", "quiet_from": "22:00", "quiet_until": "08:00",
    }  # fmt: skip
    row = MailSchedule.objects.get()
    assert (row.user, row.quiet_until, row.mentions_at_once) == (team.members["bob"], time(8), True)
    off = client.patch(
        URL, {"mode": "off", "quiet_from": None, "quiet_until": None}, content_type="application/json"
    )
    assert off.json()["next_mail_by"] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"mode": "weekly"}, "mode"),
        ({"mode": None}, "mode"),
        ({"daily_at": "25:00"}, "daily_at"),
        ({"daily_at": None}, "daily_at"),
        ({"daily_at": 9}, "daily_at"),
        ({"quiet_from": "22:00"}, "quiet_until"),
        ({"quiet_from": "22:00", "quiet_until": "22:00"}, "quiet_until"),
        ({"mentions_at_once": "off"}, "mentions_at_once"),
        ({"timezone": "UTC"}, "timezone"),
    ],
)
def test_what_is_wrong_is_named_and_changes_nothing(team: Team, body: dict[str, object], field: str) -> None:
    answer = by_token(team.members["bob"]).patch(URL, body, content_type="application/json")
    assert answer.status_code == 400
    assert field in answer.json()
    assert not MailSchedule.objects.exclude(mode="window", quiet_from=None).exists()


def test_mute_and_unmute(team: Team) -> None:
    issue = make_issue(team)
    url, client = issue_url(issue, "mute/"), by_token(team.members["bob"])
    assert client.get(url).json() == {"muted": False}
    for _ in range(2):
        answer = client.post(url)
        assert (answer.status_code, answer.json()) == (201, {"muted": True})
    assert client.get(url).json() == {"muted": True}
    assert by_token(team.members["carl"]).get(url).json() == {"muted": False}
    assert IssueMute.objects.count() == 1
    for _ in range(2):
        assert client.delete(url).status_code == 204
    assert client.get(url).json() == {"muted": False}


def test_nobody_mutes_what_they_may_not_see(team: Team) -> None:
    stranger = make_team("other").members["bob"]
    assert by_token(stranger).post(issue_url(make_issue(team), "mute/")).status_code == 404
    assert not IssueMute.objects.exists()
