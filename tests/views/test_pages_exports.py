"""The page of the exports: asked for, followed, fetched, all without JavaScript."""

from dataclasses import replace
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.request import urlopen
from uuid import uuid4

import dramatiq
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import Settings

from project.demo.ports import HOST, free_port
from project.models import Exporter, ExportRun, ProjectMember, Role, WorkspaceMember
from project.queue.client import connect
from project.services.exports.attempts import begin, fail, note_progress, note_snapshot
from project.services.exports.cancel import cancel
from project.services.exports.scope import Scope
from project.views.pages.exports import SIZE
from tests.factories import Team, make_issue, make_label, make_team
from tests.services.exports.exporting import LIMITS, add_project, make, requested

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]

PAGE = "/acme/exports/"


@pytest.fixture
def team() -> Team:
    team = make_team()
    make_issue(team)
    return team


@pytest.fixture
def ann(team: Team) -> Client:
    return signed_in(team, "ann")


def signed_in(team: Team, name: str) -> Client:
    client = Client()
    client.force_login(team.members[name])
    return client


def shown(client: Client) -> str:
    response = client.get(PAGE)
    assert response.status_code == 200
    return unescape(response.content.decode())


def press(client: Client, export: Exporter, button: str) -> str:
    response = client.post(f"{PAGE}{export.id}/", {"do": button}, follow=True)
    return unescape(response.content.decode())


def ask(client: Client, **fields: Any) -> Any:
    return client.post(PAGE, {"provider": "csv", **fields}, follow=True)


def test_asked_for_made_and_fetched(team: Team, ann: Client) -> None:
    assert "Your export is on its way." in ask(ann).content.decode()
    export = Exporter.objects.get()
    assert "Queued" in shown(ann)
    make(export)
    page = shown(ann)
    assert f'href="{PAGE}{export.id}/download/"' in page
    assert "1 issue · " in page
    response = ann.get(f"{PAGE}{export.id}/download/")
    assert response.status_code == 302
    with urlopen(response["Location"], timeout=10) as archive:
        assert archive.read(2) == b"PK"


def test_everything_of_the_form_arrives(team: Team, ann: Client) -> None:
    moon = add_project(team, "Moon", "MOON")
    ProjectMember.objects.create(
        workspace=team.workspace, project=moon, member=team.members["ann"], role=Role.GUEST
    )
    label, bob = make_label(team, "bug"), team.members["bob"]
    ask(
        ann,
        provider="xlsx",
        projects=[str(moon.id)],
        multiple="on",
        state_groups=["started", "backlog"],
        priorities=["urgent"],
        assignees=[str(bob.id)],
        labels=[str(label.id)],
        created_at_first="2026-01-31",
        target_date_first="2026-03-01",
        target_date_last="2026-03-01",
        drafts="on",
    )
    export = Exporter.objects.select_related("run").get()
    assert (export.filters["assignees"], export.filters["labels"]) == ([str(bob.id)], [str(label.id)])
    assert export.filters["dates"] == {
        "created_at": ["2026-01-31", None],
        "target_date": ["2026-03-01", "2026-03-01"],
    }
    assert (export.provider, export.project, export.run.multiple) == ("xlsx", [moon.id], True)
    assert export.filters["state_groups"] == ["backlog", "started"]
    assert (export.filters["priorities"], export.filters["drafts"]) == (["urgent"], True)
    assert not export.filters["archived"]
    words = (
        "backlog or started; urgent; of 1 assignee; with 1 label; created from 31 Jan 2026; due date on 1 Mar"
    )
    assert f"{words} 2026; with drafts" in shown(ann)


def test_the_same_again_is_the_same_export(team: Team, ann: Client) -> None:
    ask(ann)
    assert "That is on its way already." in ask(ann).content.decode()
    assert Exporter.objects.count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"provider": "pdf"},
        {"provider": ""},
        {"projects": [str(uuid4())]},
        {"assignees": [str(uuid4())]},
        {"labels": ["bug"]},
        {"created_at_first": "yesterday"},
        {"created_at_first": "2026-02-02", "created_at_last": "2026-02-01"},
    ],
)
def test_what_the_form_does_not_offer_is_refused(team: Team, ann: Client, wrong: dict[str, Any]) -> None:
    response = ask(ann, **wrong)
    assert (response.status_code, Exporter.objects.count()) == (400, 0)
    assert 'role="alert"' in response.content.decode()


def test_too_many_are_refused_in_words(team: Team, ann: Client, settings: Settings) -> None:
    settings.LIMITS = replace(settings.LIMITS, exports_open=1)
    ask(ann)
    response = ask(ann, provider="json")
    assert response.status_code == 400
    assert "Please wait for one of them, or cancel one." in response.content.decode()


def test_progress_and_reason(team: Team, ann: Client) -> None:
    export = requested(team)
    attempt = begin(export.id, 1, owner=uuid4(), now=timezone.now(), limits=LIMITS)
    assert attempt
    note_snapshot(attempt, at=timezone.now(), scope=Scope(frozenset({team.project.id})), total=8)
    note_progress(attempt, rows=2, now=timezone.now())
    page = shown(ann)
    assert '<progress max="100" value="25"' in page
    assert "2 of 8 issues" in page
    fail(attempt, "The <store> refuses us.", now=timezone.now(), limits=LIMITS)
    page = ann.get(PAGE).content.decode()
    assert "The &lt;store&gt; refuses us." in page
    assert "<progress" not in page


def test_cancel_and_delete(team: Team, ann: Client) -> None:
    export = requested(team)
    assert "Cancelled." in press(ann, export, "cancel")
    assert "It had ended before." in press(ann, export, "cancel")
    assert "You have not exported anything yet." in press(ann, export, "delete")
    assert "There is no such export." in press(ann, export, "delete")


def test_an_unknown_button(team: Team, ann: Client) -> None:
    assert ann.post(f"{PAGE}{requested(team).id}/", {"do": "publish"}).status_code == 400


def test_another_member_s_export_is_not_there(team: Team, ann: Client) -> None:
    export = requested(team)
    make(export)
    bob = signed_in(team, "bob")
    assert "You have not exported anything yet." in shown(bob)
    assert bob.get(f"{PAGE}{export.id}/download/").status_code == 404
    for button in ("cancel", "delete"):
        assert "There is no such export." in press(bob, export, button)
    assert Exporter.objects.filter(id=export.id).exists()


def test_no_download_of_what_is_not_there_or_not_allowed_any_more(team: Team, ann: Client) -> None:
    export = requested(team)
    download = f"{PAGE}{export.id}/download/"
    response = ann.get(download)
    assert (response.status_code, b"there is nothing to fetch" in response.content) == (404, True)
    make(export)
    ProjectMember.objects.filter(member=team.members["ann"]).update(is_active=False)
    response = ann.get(download)
    assert (response.status_code, b"may no longer see" in response.content) == (403, True)
    ExportRun.objects.update(expires_at=timezone.now())
    page = shown(ann)
    assert "Expired" in page
    assert download not in page


def test_guests_are_refused_and_not_led_there(team: Team, ann: Client) -> None:
    export = requested(team)
    assert f'href="{PAGE}"' in ann.get("/acme/inbox/").content.decode()
    WorkspaceMember.objects.filter(member=team.members["ann"]).update(role=Role.GUEST)
    for response in (ann.get(PAGE), ann.get(f"{PAGE}{export.id}/download/"), ask(ann)):
        assert response.status_code == 403
        assert "You don't have the required permissions." in unescape(response.content.decode())
    assert f'href="{PAGE}"' not in ann.get("/acme/inbox/").content.decode()


def test_who_is_in_no_project_cannot_ask(team: Team, ann: Client) -> None:
    ProjectMember.objects.filter(member=team.members["ann"]).delete()
    assert "You are not a member of any project here yet." in shown(ann)
    assert ask(ann).status_code == 400


def test_strangers_sign_in_first(team: Team) -> None:
    response = Client().get(PAGE)
    assert (response.status_code, response["Location"]) == (302, f"/sign-in/?next={PAGE}")


def test_a_form_needs_the_csrf_token(team: Team) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(team.members["ann"])
    assert client.post(PAGE, {"provider": "csv"}).status_code == 403


def test_a_broker_that_is_away_costs_time_only(
    team: Team, ann: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    nobody = connect(f"redis://{HOST}:{free_port()}/0", timedelta(seconds=1))
    monkeypatch.setattr(dramatiq.get_broker(), "client", nobody)
    assert "Your export is on its way." in ask(ann).content.decode()


def test_labels_are_told_apart_and_strangers_are_not_offered(team: Team, ann: Client) -> None:
    make_label(team, "bug")
    make_label(make_team("other", ["zoe"]), "theirs")
    page = shown(ann)
    assert ">bug</option>" in page
    assert "theirs" not in page
    assert "Zoe" not in page
    moon = add_project(team, "Moon", "MOON")
    ProjectMember.objects.create(
        workspace=team.workspace, project=moon, member=team.members["ann"], role=Role.GUEST
    )
    assert ">bug (ACME)</option>" in shown(ann)


def test_a_long_history_has_pages(team: Team, ann: Client) -> None:
    for number in range(SIZE + 1):
        cancel(requested(team, time_zone=f"Etc/GMT+{number % 12}"), now=timezone.now())
    first = shown(ann)
    assert first.count('class="export"') == SIZE
    assert '<a rel="next" href="?page=2">Older</a>' in first
    second = ann.get(PAGE, {"page": "2"}).content.decode()
    assert second.count('class="export"') == 1
    assert '<a rel="prev" href="?page=1">Newer</a>' in second
    assert "There are no more." in ann.get(PAGE, {"page": "3"}).content.decode()
    for wrong in ("0", "x", "1001"):
        assert ann.get(PAGE, {"page": wrong}).status_code == 404


def test_the_number_of_queries_does_not_grow_with_the_list(team: Team, ann: Client) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as captured:
            shown(ann)
        return len(captured)

    requested(team)
    one = count()
    requested(team, "json")
    requested(team, "xlsx")
    assert count() == one
