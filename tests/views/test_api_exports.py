"""Exports over the API: asked for, looked at, fetched, cancelled, removed."""

import io
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.request import urlopen
from uuid import uuid4
from zipfile import ZipFile

import dramatiq
import pytest
from django.utils import timezone
from dramatiq import Message
from pytest_django import Settings
from rest_framework.test import APIClient

from project.actors.exports import DEPOT
from project.demo.ports import HOST, free_port
from project.models import Exporter, ExportRun, ProjectMember, StateGroup
from project.queue.client import connect
from project.services.exports.overdue import overdue_exports
from project.services.exports.run import run
from tests.factories import Team, make_issue, make_team
from tests.views.api import by_token

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]

EXPORTS = "/api/workspaces/acme/export-issues/"
MESSAGE = "Once the export is ready you will be able to download it"


@pytest.fixture
def team() -> Team:
    team = make_team()
    make_issue(team, name="Fix the döor")
    make_issue(team, name="Paint it", state=team.states["completed"])
    return team


@pytest.fixture
def bob(team: Team) -> APIClient:
    return by_token(team.members["bob"])


def ask(client: APIClient, **body: Any) -> dict[str, Any]:
    response = client.post(EXPORTS, {"provider": "json", **body}, format="json")
    assert response.status_code == 200, response.json()
    return dict(response.json())


def make(asked: dict[str, Any]) -> None:
    """Do what the worker does."""
    dispatch = ExportRun.objects.get(export_id=asked["id"]).dispatch
    run(asked["id"], dispatch, owner=uuid4(), depot=DEPOT, clock=timezone.now)


def on_the_queue() -> list[tuple[str, int]]:
    broker = dramatiq.get_broker()
    bodies = broker.client.hvals(broker.layout("exports").bodies)
    return sorted(tuple(Message.decode(body).args) for body in bodies)


def test_from_the_wish_to_the_rows(team: Team, bob: APIClient) -> None:
    asked = ask(bob, project=[str(team.project.id)], filters={"state_groups": [StateGroup.COMPLETED]})
    assert asked["message"] == MESSAGE
    assert on_the_queue() == [(asked["id"], 1)]
    waiting = bob.get(asked["status_url"]).json()
    assert (waiting["status"], waiting["progress"], waiting["url"]) == ("queued", 0, None)

    make(asked)

    done = bob.get(asked["status_url"]).json()
    assert (done["status"], done["reason"], done["progress"]) == ("completed", "", 100)
    assert (done["rows_done"], done["rows_total"], done["url_reason"]) == (1, 1, "")
    with urlopen(done["url"], timeout=10) as answer:
        content = answer.read()
    assert len(content) == done["size"]
    with ZipFile(io.BytesIO(content)) as archive:
        [name] = archive.namelist()
        assert [row["name"] for row in json.loads(archive.read(name))] == ["Paint it"]


def test_each_look_signs_a_link_and_none_is_kept(team: Team, bob: APIClient) -> None:
    asked = ask(bob)
    make(asked)
    response = bob.get(asked["status_url"])
    assert response["Cache-Control"] == "no-store"
    assert "X-Amz-Signature" in response.json()["url"]
    assert [row["url"] for row in bob.get(EXPORTS).json()["results"]] == [None]
    assert Exporter.objects.get().url is None


def test_who_lost_a_project_gets_no_link(team: Team, bob: APIClient) -> None:
    asked = ask(bob)
    make(asked)
    ProjectMember.objects.filter(member=team.members["bob"]).update(is_active=False)
    row = bob.get(asked["status_url"]).json()
    assert (row["status"], row["url"]) == ("completed", None)
    assert row["url_reason"] == "You may no longer see everything that is in this export."


def test_an_archive_that_is_not_offered_any_more(team: Team, bob: APIClient) -> None:
    asked = ask(bob)
    make(asked)
    ExportRun.objects.update(expires_at=timezone.now())
    row = bob.get(asked["status_url"]).json()
    assert (row["status"], row["url"], row["expires_at"]) == ("expired", None, None)


def test_the_same_wish_while_it_is_open_is_the_same_export(team: Team, bob: APIClient) -> None:
    first = ask(bob)
    assert ask(bob, project=[str(team.project.id)], multiple=False) == first
    assert ask(bob, multiple=True)["id"] != first["id"]
    assert len(on_the_queue()) == 2
    make(first)
    assert ask(bob)["id"] != first["id"]


def test_times_are_the_caller_s_unless_asked_otherwise(team: Team, bob: APIClient) -> None:
    team.members["bob"].user_timezone = "Asia/Tokyo"
    team.members["bob"].save()
    zones = [
        bob.get(ask(bob, **body)["status_url"]).json()["time_zone"]
        for body in ({}, {"time_zone": "Europe/Oslo"})
    ]
    assert zones == ["Asia/Tokyo", "Europe/Oslo"]


def test_the_list_has_plane_s_pages(team: Team, bob: APIClient) -> None:
    asked = [ask(bob, provider=provider)["id"] for provider in ("csv", "xlsx", "json")]
    page = bob.get(EXPORTS, {"per_page": 2, "cursor": "2:0:0"}).json()
    assert [row["id"] for row in page["results"]] == asked[:0:-1]
    assert (page["total_results"], page["next_cursor"], page["next_page_results"]) == (3, "2:1:0", True)
    [last] = bob.get(EXPORTS, {"cursor": page["next_cursor"]}).json()["results"]
    assert (last["id"], last["provider"], last["project"]) == (asked[0], "csv", [str(team.project.id)])
    assert last["initiated_by_detail"]["display_name"] == "bob"


def test_one_person_may_have_a_few_open(team: Team, bob: APIClient, settings: Settings) -> None:
    settings.LIMITS = replace(settings.LIMITS, exports_open=1)
    asked = ask(bob)
    response = bob.post(EXPORTS, {"provider": "csv"}, format="json")
    assert response.status_code == 429
    assert response.json() == {
        "error": "1 of your exports are not finished yet. Please wait for one of them, or cancel one."
    }
    bob.post(f"{asked['status_url']}cancel/")
    ask(bob)


def test_cancel(team: Team, bob: APIClient) -> None:
    asked = ask(bob)
    first, again = (bob.post(f"{asked['status_url']}cancel/") for _ in range(2))
    assert (first.status_code, first.json()["status"]) == (200, "cancelled")
    assert again.json() == first.json()
    make(asked)
    assert bob.get(asked["status_url"]).json()["status"] == "cancelled"


def test_what_has_ended_cannot_be_cancelled(team: Team, bob: APIClient) -> None:
    asked = ask(bob)
    make(asked)
    response = bob.post(f"{asked['status_url']}cancel/")
    assert (response.status_code, response.json()["status"]) == (200, "completed")


def test_delete(team: Team, bob: APIClient) -> None:
    asked = ask(bob)
    make(asked)
    assert bob.delete(asked["status_url"]).status_code == 204
    assert bob.get(asked["status_url"]).status_code == bob.delete(asked["status_url"]).status_code == 404
    assert bob.get(EXPORTS).json()["results"] == []
    assert ExportRun.objects.get().expires_at <= timezone.now()


def test_a_broker_that_is_away_costs_a_warning_only(
    team: Team,
    bob: APIClient,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    nobody = connect(f"redis://{HOST}:{free_port()}/0", timedelta(seconds=1))
    monkeypatch.setattr(dramatiq.get_broker(), "client", nobody)
    asked = ask(bob)
    [warning] = [record for record in caplog.records if record.name.endswith("exports_sending")]
    assert asked["id"] in warning.getMessage()
    later = timezone.now() + settings.LIMITS.overdue
    assert [
        (str(wake.row_id), wake.dispatch) for wake in overdue_exports(now=later, limits=settings.LIMITS)
    ] == [(asked["id"], 1)]
