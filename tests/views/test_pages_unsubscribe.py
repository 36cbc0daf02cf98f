"""The page behind the links in mails, and the one click of RFC 8058."""

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
    Project,
    Workspace,
)
from project.services.notifications.preferences import Place, decide, preferences_of
from tests.factories import Team, make_issue, make_team
from tests.services.digests.lines import NOW
from tests.views.unsubscribing import NOTHING, ONE_CLICK, link_for, ticket_in, written

pytestmark = pytest.mark.django_db

UNKNOWN = "/unsubscribe/AAAAAAAAAAAAAAAA/"


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


@pytest.mark.parametrize("method", ["get", "head"])
def test_looking_changes_nothing(stranger, link, method) -> None:
    assert getattr(stranger, method)(link).status_code == 200
    assert getattr(stranger, method)(f"{link}?scope=all&List-Unsubscribe=One-Click").status_code == 200
    assert written() == [0, 0, 0]
    assert [stranger.put(link).status_code, stranger.delete(link).status_code] == [405, 405]


def test_one_click_stops_mail_about_the_issue_and_a_second_one_is_as_good(stranger, team, link) -> None:
    for _ in range(3):
        response = stranger.post(link, ONE_CLICK)
        assert (response.status_code, "Location" in response.headers) == (200, False)
    mute = IssueMute.objects.get()
    assert (mute.user, mute.issue) == (team.members["bob"], Issue.objects.get())
    assert written() == [1, 0, 0]


def test_a_click_of_a_mail_program_may_be_a_form_with_parts_or_without_body(stranger, link) -> None:
    boundary = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
    answer = stranger.post(link, boundary, content_type="multipart/form-data; boundary=x")
    assert answer.status_code == stranger.post(link).status_code == 200
    assert written() == [1, 0, 0]


@pytest.mark.parametrize(
    "body_type",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded; charset=nope",
        "application/json",
        "",
    ],
)
def test_a_click_whose_body_nobody_can_read_is_a_click(stranger, link, body_type) -> None:
    assert stranger.generic("POST", link, b"\xffList-Unsubscribe", content_type=body_type).status_code == 200
    assert written() == [1, 0, 0]


def test_a_click_without_the_slash_is_a_click(stranger, link) -> None:
    assert stranger.post(link.removesuffix("/"), ONE_CLICK).status_code == 200
    assert written() == [1, 0, 0]


@pytest.mark.parametrize("mode", [None, MailMode.DAILY])
def test_all_mail_is_stopped_and_comes_again_as_before(stranger, team, link, mode) -> None:
    bob = team.members["bob"]
    if mode:
        MailSchedule.objects.create(user=bob, mode=mode)
    stopped = stranger.post(link, {"scope": "all"})
    assert MailSchedule.objects.get(user=bob).mode == MailMode.OFF
    restored = stranger.post(link, {"ticket": ticket_in(stopped)})
    assert "again, as before" in restored.content.decode()
    assert MailSchedule.objects.get(user=bob).mode == (mode or MailMode.WINDOW)


@pytest.mark.parametrize("decided", [False, True])
def test_mail_about_the_project_is_stopped_and_comes_again_as_before(stranger, team, link, decided) -> None:
    bob, place = team.members["bob"], Place(team.workspace.id, team.project.id)
    if decided:
        decide(bob, place, {"comment": False}, now=NOW)
    before = preferences_of(bob).at(place)
    stopped = stranger.post(link, {"scope": "project"})
    assert preferences_of(bob).at(place).flags == NOTHING
    assert all(preferences_of(bob).at(Place(team.workspace.id)).flags.values())
    stranger.post(link, {"ticket": ticket_in(stopped)})
    assert preferences_of(bob).at(place) == before


def test_a_gathered_mail_stops_its_workspace(stranger, team) -> None:
    link = link_for(team, workspace=team.workspace)
    assert b"about this issue" not in stranger.get(link).content
    stranger.post(link, ONE_CLICK)
    assert preferences_of(team.members["bob"]).at(Place(team.workspace.id)).flags == NOTHING


def test_a_mail_about_an_export_stops_those_only_and_they_come_again(stranger, team) -> None:
    link = link_for(team)
    stopped = [stranger.post(link, ONE_CLICK), stranger.post(link, ONE_CLICK)]
    assert (MailStop.objects.get().scope, written()) == ("exports", [0, 0, 0])
    assert [b"no more mail about exports" in answer.content for answer in stopped] == [True, True]
    client, settings = Client(), "/acme/settings/account/notifications/"
    client.force_login(team.members["bob"])
    assert "unsubscribed from mail about your exports" in client.get(settings).content.decode()
    client.post(f"{settings}stops/{MailStop.objects.get().pk}/")
    assert "unsubscribed from" not in client.get(settings).content.decode()
    stranger.post(link, {"scope": "all"})
    assert MailSchedule.objects.get().mode == MailMode.OFF


def test_an_issue_is_taken_back_and_can_be_stopped_again(stranger, link) -> None:
    for _ in range(2):
        stopped = stranger.post(link, {"scope": "issue"})
        assert written() == [1, 0, 0]
        stranger.post(link, {"ticket": ticket_in(stopped)})
        assert written() == [0, 0, 0]


def test_the_link_alone_starts_no_mail_that_its_owner_stopped(
    stranger, team, link, settings, monkeypatch
) -> None:
    ticket = ticket_in(stranger.post(link, {"scope": "issue"}))
    assert ticket_in(stranger.post(link, {"scope": "issue"})) == ""
    other = link_for(team, issue=make_issue(team))
    stranger.post(other, {"ticket": ticket})
    for forged in ("", "x", ticket[:-1], ticket.replace(":", ".")):
        assert stranger.post(link, {"ticket": forged}).status_code == 200
    monkeypatch.setattr("django.core.signing.time.time", lambda: NOW.timestamp() + 10**9)
    stranger.post(link, {"ticket": ticket})
    assert IssueMute.objects.count() == 1


def test_an_unknown_scope_stops_nothing(stranger, link) -> None:
    assert stranger.post(link, {"scope": "workspace"}).status_code == 200
    assert stranger.post(link, {"scope": "\0"}).status_code == 200
    assert written() == [0, 0, 0]


def test_the_page_tells_nothing_and_leaves_no_trace(stranger, team, link) -> None:
    Issue.objects.update(name="Secret plan")
    Project.objects.update(name="Moonshot", identifier="MOON")
    Workspace.objects.update(name="Evil Corp", slug="evil")
    stopped = stranger.post(link, {"scope": "issue"})
    answers = [
        stranger.get(link),
        stopped,
        stranger.post(link, {"ticket": ticket_in(stopped)}),
        stranger.get(UNKNOWN),
    ]
    for response in answers:
        text = response.content.decode()
        for secret in ("Secret", "Moon", "MOON", "Evil", "evil", "bob", "acme", "Bob", str(team.project.id)):
            assert secret not in text, secret
        assert not response.cookies
        assert "Cookie" not in response.headers.get("Vary", "")
        assert response.headers["Referrer-Policy"] == "no-referrer"
        assert "no-store" in response.headers["Cache-Control"]
        assert "noindex" in response.headers["X-Robots-Tag"]
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert "b…@a…" in answers[0].content.decode()


def test_what_is_unknown_is_not_there(stranger, team, link) -> None:
    assert [stranger.get(UNKNOWN).status_code, stranger.post(UNKNOWN, ONE_CLICK).status_code] == [404, 404]
    assert stranger.get("/unsubscribe/too-short/").status_code == 404
    Issue.objects.all().delete()
    assert stranger.get(link).status_code == 404


def test_who_signed_in_as_somebody_else_stops_the_mail_of_the_link(team, link) -> None:
    client = Client()
    client.force_login(team.members["carl"])
    client.post(link, ONE_CLICK)
    assert IssueMute.objects.get().user == team.members["bob"]


def test_guessing_and_hammering_are_slowed_down(stranger, link) -> None:
    assert {stranger.get(UNKNOWN).status_code for _ in range(30)} == {404}
    assert stranger.get(UNKNOWN).status_code == 429
    assert {stranger.post(link, ONE_CLICK).status_code for _ in range(30)} == {200}
    assert stranger.post(link, ONE_CLICK).status_code == 429
    assert stranger.get(link).status_code == 200
