"""Issues over HTTP: create, list, show, change, delete."""

from typing import Any

import pytest
from django.utils import timezone

from project.models import Issue, IssueEvent
from tests.factories import Team, make_issue, make_label, make_team
from tests.views.api import by_token, issue_url, issues_url

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return make_team()


def test_create_with_everything(team: Team) -> None:
    ann, bob, eve = (team.members[name] for name in ("ann", "bob", "eve"))
    parent = make_issue(team)
    body: dict[str, Any] = {
        "name": "Door",
        "description_html": "<p>It <b>sticks</b></p>",
        "state_id": str(team.states["completed"].id),
        "priority": "urgent",
        "assignee_ids": [str(eve.id), str(bob.id)],
        "label_ids": [str(make_label(team, name).id) for name in ("wood", "loud")],
        "start_date": "2026-03-01",
        "target_date": "2026-03-31",
        "parent_id": str(parent.id),
    }

    response = by_token(ann).post(issues_url(team.project), body, format="json")

    assert response.status_code == 201
    sets = {"assignee_ids", "label_ids"}
    answer = response.json()
    assert {key: answer[key] for key in body.keys() - sets} == {k: body[k] for k in body.keys() - sets}
    assert all(sorted(answer[key]) == sorted(body[key]) for key in sets)
    assert answer["sequence_id"] == parent.sequence_id + 1
    assert answer["description_stripped"] == "It sticks"
    assert answer["completed_at"] == answer["created_at"]
    assert answer["created_by"] == str(ann.id)
    assert (answer["project_id"], answer["workspace_id"]) == (str(team.project.id), str(team.workspace.id))
    assert by_token(bob).get(issue_url(Issue.objects.get(id=answer["id"]))).json() == answer


def test_create_with_a_name_only(team: Team) -> None:
    answer = (
        by_token(team.members["bob"]).post(issues_url(team.project), {"name": " Door "}, format="json").json()
    )
    assert (answer["name"], answer["priority"], answer["description_html"]) == ("Door", "none", "<p></p>")
    assert (answer["state_id"], answer["assignee_ids"]) == (str(team.states["backlog"].id), [])


def test_list_is_paginated_newest_first_and_knows_no_deleted_or_archived_issues(team: Team) -> None:
    for number in range(1, 6):
        make_issue(team, name=f"Issue {number}")
    client = by_token(team.members["ann"])
    client.delete(issue_url(Issue.objects.get(sequence_id=4)))
    make_issue(team, name="Issue 6", archived_at=timezone.localdate())
    make_issue(make_team("other"))

    first = client.get(issues_url(team.project), {"per_page": 3}).json()
    second = client.get(first["next"]).json()

    assert first["count"] == 4
    assert [row["name"] for row in first["results"]] == ["Issue 5", "Issue 3", "Issue 2"]
    assert [row["name"] for row in second["results"]] == ["Issue 1"]
    assert second["next"] is None
    assert "description_html" not in first["results"][0]


@pytest.mark.parametrize("query", ["page=0", "page=9", "page=x", "page=99999999999999999999", "page=%00"])
def test_there_are_no_other_pages(team: Team, query: str) -> None:
    response = by_token(team.members["bob"]).get(f"{issues_url(team.project)}?{query}")
    assert (response.status_code, response.json()) == (404, {"error": "Invalid page."})


def test_change(team: Team) -> None:
    issue = make_issue(team)
    body = {"name": "Gate", "start_date": "2026-03-01"}
    response = by_token(team.members["bob"]).patch(issue_url(issue), body, format="json")
    assert response.status_code == 200
    assert {key: response.json()[key] for key in body} == body
    assert response.json()["updated_by"] == str(team.members["bob"].id)


def test_what_is_not_known_is_refused(team: Team) -> None:
    issue = make_issue(team)
    client, body = by_token(team.members["bob"]), {"name": "Gate"}
    for unknown in ("id", "created_by", "sequence_id", "stateid", "state_ids"):
        for response in (
            client.patch(issue_url(issue), {**body, unknown: None}, format="json"),
            client.post(issues_url(team.project), {**body, unknown: None}, format="json"),
        ):
            assert (response.status_code, response.json()) == (400, {unknown: ["There is no such field."]})
    assert Issue.objects.get().name == issue.name
    assert not IssueEvent.objects.exists()


def test_plane_s_other_names_mean_the_same(team: Team) -> None:
    parent, label, eve = make_issue(team), make_label(team, "wood"), team.members["eve"]
    sent = {
        "state": str(team.states["started"].id),
        "assignees": [str(eve.id)],
        "labels": [str(label.id)],
        "parent": str(parent.id),
    }
    ours = {"state_id": sent["state"], "assignee_ids": sent["assignees"], "label_ids": sent["labels"]}
    ours["parent_id"] = sent["parent"]
    client = by_token(team.members["bob"])

    created = client.post(issues_url(team.project), {"name": "Door", **sent}, format="json").json()
    changed = client.patch(issue_url(make_issue(team)), {**sent, **ours}, format="json").json()

    for answer in (created, changed):
        assert {name: answer[name] for name in ours} == ours
    assert client.patch(issue_url(parent), {"parent": None}, format="json").status_code == 200


def test_one_value_by_two_names_must_be_the_same(team: Team) -> None:
    url, client = issue_url(make_issue(team)), by_token(team.members["bob"])
    for other, name, values in (
        ("state", "state_id", [str(team.states[group].id) for group in ("started", "backlog")]),
        ("assignees", "assignee_ids", [[str(team.members["eve"].id)], []]),
        ("labels", "label_ids", [[], [str(make_label(team, "wood").id)]]),
        ("parent", "parent_id", [None, str(make_issue(team).id)]),
    ):
        response = client.patch(url, {other: values[0], name: values[1]}, format="json")
        assert (response.status_code, response.json()) == (400, {other: [f"Is not what {name} is."]})
    assert not IssueEvent.objects.exists()


def test_who_may_delete(team: Team) -> None:
    ann, bob, carl = (team.members[name] for name in ("ann", "bob", "carl"))
    issue = make_issue(team, created_by=bob)
    url = f"{issues_url(team.project).removesuffix('issues/')}bulk-delete-issues/"
    many = {"issue_ids": [str(issue.id)]}

    other = by_token(carl).delete(issue_url(issue))
    bulk = by_token(bob).delete(url, many, format="json")

    why = {"error": "Only who created an issue and the project's admins may delete it."}
    assert (other.status_code, other.json()) == (403, why)
    why = {"error": "Only the project's admins may delete many issues at once."}
    assert (bulk.status_code, bulk.json()) == (403, why)
    assert not IssueEvent.objects.exists()
    assert by_token(bob).delete(issue_url(issue)).status_code == 204
    assert by_token(ann).delete(issue_url(make_issue(team, created_by=bob))).status_code == 204
    many = {"issue_ids": [str(make_issue(team).id)]}
    assert by_token(ann).delete(url, many, format="json").json() == {"changed": 1}
    assert not Issue.objects.exists()


def test_delete(team: Team) -> None:
    issue = make_issue(team, created_by=team.members["bob"])
    client = by_token(team.members["bob"])
    assert client.delete(issue_url(issue)).status_code == 204
    for response in (
        client.get(issue_url(issue)),
        client.delete(issue_url(issue)),
        client.patch(issue_url(issue), {"name": "Ghost"}, format="json"),
        client.post(issue_url(issue, "comments/"), {"comment_html": "<p>Boo</p>"}, format="json"),
        client.post(issue_url(issue, "subscribe/")),
    ):
        assert (response.status_code, response.json()) == (404, {"error": "There is no such issue."})
