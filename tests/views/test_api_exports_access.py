"""Whose exports they are, and who may have any."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from project.models import Exporter, Project, ProjectMember, Role, WorkspaceMember
from tests.factories import Team, make_team, make_user
from tests.services.exports.exporting import add_project, requested
from tests.views.api import by_session, by_token

pytestmark = pytest.mark.django_db

EXPORTS = "/api/workspaces/acme/export-issues/"


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def export(team: Team) -> Exporter:
    return requested(team, by="ann")


def answers(client: APIClient, export: Exporter) -> list[tuple[int, str]]:
    """What every address below that of the list says, those of one export first."""
    one = f"{EXPORTS}{export.id}/"
    responses = [
        client.get(one),
        client.post(f"{one}cancel/"),
        client.delete(one),
        client.get(EXPORTS),
        client.post(EXPORTS, {"provider": "csv"}, format="json"),
    ]
    return [(response.status_code, response.json().get("error", "")) for response in responses]


def test_another_member_s_export_is_not_there(team: Team, export: Exporter) -> None:
    bob = by_token(team.members["bob"])
    assert bob.get(EXPORTS).json()["results"] == []
    assert answers(bob, export)[:3] == [(404, "There is no such export.")] * 3
    export.run.refresh_from_db()
    assert (export.run.status, Exporter.objects.filter(id=export.id).exists()) == ("queued", True)


def test_the_same_wish_of_another_member_is_another_export(team: Team, export: Exporter) -> None:
    response = by_token(team.members["bob"]).post(EXPORTS, {"provider": "csv"}, format="json")
    assert response.json()["id"] != str(export.id)


def test_one_of_another_workspace_is_not_here(team: Team, export: Exporter) -> None:
    other = make_team("other")
    WorkspaceMember.objects.create(workspace=other.workspace, member=team.members["ann"], role=Role.MEMBER)
    url = f"/api/workspaces/other/export-issues/{export.id}/"
    assert by_token(team.members["ann"]).get(url).status_code == 404


def test_guests_are_refused_in_plane_s_words(team: Team, export: Exporter) -> None:
    WorkspaceMember.objects.filter(member=team.members["ann"]).update(role=Role.GUEST)
    refused = (403, "You don't have the required permissions.")
    assert answers(by_token(team.members["ann"]), export) == [refused] * 5


def test_outside_there_is_no_such_workspace(team: Team, export: Exporter) -> None:
    WorkspaceMember.objects.filter(member=team.members["ann"]).update(is_active=False)
    for user in (team.members["ann"], make_user("zoe")):
        assert answers(by_token(user), export) == [(404, "There is no such workspace.")] * 5


def test_a_stranger_is_asked_who_they_are(team: Team, export: Exporter) -> None:
    assert {status for status, _ in answers(APIClient(), export)} == {401}


def test_a_session_needs_the_csrf_token(team: Team) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(team.members["ann"])
    assert client.post(EXPORTS, {"provider": "csv"}, format="json").status_code == 403
    assert (
        by_session(team.members["ann"]).post(EXPORTS, {"provider": "csv"}, format="json").status_code == 200
    )


def test_projects_that_are_not_the_caller_s_are_named(team: Team) -> None:
    unknown, foreign = uuid4(), make_team("other").project
    unjoined, archived = (add_project(team, name, name.upper()) for name in ("moon", "mars"))
    ann = team.members["ann"]
    place = {"workspace": team.workspace, "project": archived, "member": ann}
    ProjectMember.objects.create(**place, role=Role.MEMBER)
    Project.objects.filter(id=archived.id).update(archived_at=timezone.now())
    for wrong in (unknown, foreign.id, unjoined.id, archived.id):
        body = {"provider": "csv", "project": [str(team.project.id), str(wrong)]}
        response = by_token(ann).post(EXPORTS, body, format="json")
        assert response.status_code == 400
        assert response.json() == {"project": [f"Not among your projects: {wrong}."]}
    assert not Exporter.objects.exists()


def test_the_number_of_queries_does_not_grow_with_the_list(team: Team) -> None:
    ann = by_token(team.members["ann"])

    def count() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert ann.get(EXPORTS).status_code == 200
        return len(captured)

    requested(team, "csv")
    one = count()
    requested(team, "json")
    requested(team, "xlsx")
    assert count() == one
