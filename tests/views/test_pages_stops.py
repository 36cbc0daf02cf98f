"""What was stopped by the link in a mail, in the settings of whose mail it is; and who may take it back."""

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.test import Client

from project.models import (
    Issue,
    IssueMute,
    MailMode,
    MailSchedule,
    MailStop,
)
from project.services.notifications.preferences import Place, decide, preferences_of
from project.services.notifications.schedule import mute, reschedule
from tests.factories import Team, make_issue, make_team
from tests.services.digests.lines import NOW
from tests.views.unsubscribing import NOTHING, ONE_CLICK, link_for, ticket_in, written

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def counted_from_zero() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def stranger() -> Client:
    """A mail program, or anybody who has the link."""
    return Client(enforce_csrf_checks=True)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def link(team: Team) -> str:
    return link_for(team, issue=make_issue(team, name="Secret plan"))


def test_a_stop_that_was_changed_in_the_settings_stays_as_it_is_there(stranger, team, link) -> None:
    bob, place = team.members["bob"], Place(team.workspace.id, team.project.id)
    ticket = ticket_in(stranger.post(link, {"scope": "project"}))
    decide(bob, place, {"mention": True}, now=NOW)
    stranger.post(link, {"ticket": ticket})
    assert preferences_of(bob).at(place).flags == {**NOTHING, "mention": True}


@pytest.mark.parametrize("scope", ["issue", "project", "all", "exports"])
def test_what_its_owner_stops_again_by_a_link_cannot_be_taken_back_with_an_older_ticket(
    stranger, team, link, scope
) -> None:
    link = link_for(team) if scope == "exports" else link
    ticket = ticket_in(stranger.post(link, {"scope": scope}))
    stranger.post(link, {"scope": scope})
    stranger.post(link, {"ticket": ticket})
    assert MailStop.objects.get().taken_back_at is None


@pytest.mark.parametrize("scope", ["issue", "project", "all"])
def test_what_its_owner_stops_in_the_settings_cannot_be_taken_back_with_an_older_ticket(
    stranger, team, link, scope
) -> None:
    bob, issue = team.members["bob"], Issue.objects.get()
    ticket = ticket_in(stranger.post(link, {"scope": scope}))
    match scope:
        case "issue":
            mute(issue.id, bob, now=NOW)
        case "project":
            decide(bob, Place(team.workspace.id, team.project.id), NOTHING, now=NOW)
        case "all":
            reschedule(bob, {"mode": MailMode.OFF}, now=NOW)
    before = written()
    stranger.post(link, {"ticket": ticket})
    assert (MailStop.objects.get().taken_back_at, written()) == (None, before)


def test_what_prints_a_stop_does_not_print_the_link(stranger, link) -> None:
    stranger.post(link, ONE_CLICK)
    stop = MailStop.objects.get()
    assert str(stop) == f"mail stopped (issue) by a link: {stop.pk}"


def test_the_settings_tell_what_was_stopped_and_take_it_back(stranger, team, link) -> None:
    for scope in ("issue", "project", "all"):
        stranger.post(link, {"scope": scope})
    client, settings = Client(), "/acme/settings/account/notifications/"
    client.force_login(team.members["bob"])
    page = client.get(settings).content.decode()
    for words in ("about ACME-1 on", "about ACME on", "about anything on"):
        assert f"You unsubscribed from mail {words}" in page
    for stop in MailStop.objects.all():
        told = client.post(f"{settings}stops/{stop.id}/", follow=True).content.decode()
        assert "again, as before." in told
        client.post(f"{settings}stops/{stop.id}/")
    assert "You unsubscribed" not in client.get(settings).content.decode()
    assert not IssueMute.objects.exists()
    assert MailSchedule.objects.get().mode == MailMode.WINDOW


def test_the_settings_leave_out_what_was_changed_since_and_what_is_elsewhere(stranger, team, link) -> None:
    stranger.post(link, {"scope": "issue"})
    stranger.post(link_for(team, workspace=make_team("beta", names=("zoe",)).workspace), ONE_CLICK)
    IssueMute.objects.all().delete()
    client = Client()
    client.force_login(team.members["bob"])
    assert b"You unsubscribed" not in client.get("/acme/settings/account/notifications/").content


def test_nobody_takes_back_what_somebody_else_stopped(stranger, team, link) -> None:
    stranger.post(link, ONE_CLICK)
    client = Client()
    client.force_login(team.members["carl"])
    stop = MailStop.objects.get()
    assert client.post(f"/acme/settings/account/notifications/stops/{stop.id}/").status_code == 404
    assert IssueMute.objects.exists()
