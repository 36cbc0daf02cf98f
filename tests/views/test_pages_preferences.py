"""Notification settings as a page."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from project.models import Project, ProjectMember, Role, SuppressedAddress, User, UserNotificationPreference
from project.services.digests.suppression import is_suppressed
from project.services.notifications.preferences import FLAGS
from project.views.pages.preferences import WORDS, in_words
from tests.factories import Team, make_team

pytestmark = pytest.mark.django_db

SETTINGS = "/acme/settings/account/notifications/"


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


def sections(client: Client) -> dict[str, Any]:
    context = client.get(SETTINGS).context
    return {section.name: section for section in (context["general"], *context["others"])}


def on(client: Client, place: str) -> set[str]:
    return {choice.name for choice in sections(client)[place].choices if choice.on}


def test_each_flag_has_its_words() -> None:
    assert {*WORDS} == {*FLAGS}


def test_saving_and_inheriting_again(team: Team, client: Client) -> None:
    project = str(team.project.id)
    assert on(client, project) == {*FLAGS}
    client.post(SETTINGS, {"place": "everywhere", "comment": "on"})
    assert [on(client, place) for place in ("everywhere", "workspace", project)] == [{"comment"}] * 3
    client.post(SETTINGS, {"place": "workspace", "mention": "on"})
    answer = client.post(SETTINGS, {"place": project}, follow=True)
    assert "Saved: Rocket." in answer.content.decode()
    assert [on(client, place) for place in ("workspace", project)] == [{"mention"}, set()]
    client.post(SETTINGS, {"place": project, "inherit": "1", "comment": "on"})
    shown = sections(client)
    assert on(client, project) == {"mention"}
    assert [(shown[place].own, shown[place].source) for place in ("workspace", project)] == [
        (True, "as in the workspace"),
        (False, "as in the workspace"),
    ]


def test_only_ones_own_projects_are_there(team: Team, bob: User, client: Client) -> None:
    ProjectMember.objects.filter(member=bob).update(is_active=False)
    assert sections(client).keys() == {"everywhere", "workspace"}
    assert client.post(SETTINGS, {"place": str(team.project.id)}).status_code == 404
    assert not UserNotificationPreference.objects.exists()


def test_the_number_of_queries_does_not_grow(team: Team, bob: User, client: Client) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(SETTINGS).status_code == 200
        return len(captured)

    few = queries()
    for n in range(5):
        project = Project.objects.create(workspace=team.workspace, name=f"p{n}", identifier=f"P{n}")
        ProjectMember.objects.create(workspace=team.workspace, project=project, member=bob, role=Role.MEMBER)
        UserNotificationPreference.objects.create(user=bob, workspace=team.workspace, project=project)
    assert queries() == few <= 9
    assert len(sections(client)) == 8


def test_who_cannot_be_mailed_is_told(bob: User, client: Client) -> None:
    assert "are stopped" not in client.get(SETTINGS).content.decode()
    SuppressedAddress.objects.create(
        address=bob.email, reason=SuppressedAddress.Reason.UNKNOWN, since=timezone.now()
    )
    page = client.get(SETTINGS).content.decode()
    assert f"Mails to {bob.email} are stopped" in page
    assert "no such mailbox" in page
    assert "Try again" not in page
    client.post(f"{SETTINGS}mail-again/")
    assert is_suppressed(bob.email, now=timezone.now())


@pytest.mark.parametrize("reason", [SuppressedAddress.Reason.FULL, SuppressedAddress.Reason.COMPLAINT])
def test_what_people_can_mend_they_can_have_tried_again(bob: User, client: Client, reason: str) -> None:
    SuppressedAddress.objects.create(address=bob.email, reason=reason, since=timezone.now())
    assert "Try again" in client.get(SETTINGS).content.decode()
    assert client.get(f"{SETTINGS}mail-again/").status_code == 405
    answer = client.post(f"{SETTINGS}mail-again/", follow=True).content.decode()
    assert f"Mails go to {bob.email} again." in answer
    assert "are stopped" not in answer
    assert not is_suppressed(bob.email, now=timezone.now())


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second"), (30, "30 seconds"), (60, "1 minute"), (90, "90 seconds"), (300, "5 minutes")],
)
def test_times_in_words(seconds: int, words: str) -> None:
    assert in_words(timedelta(seconds=seconds)) == words
