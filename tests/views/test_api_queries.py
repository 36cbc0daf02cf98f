"""The number of queries does not grow with what a request carries or finds."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.response import Response
from rest_framework.test import APIClient

from project.models import Cycle, Module, User
from tests.factories import Team, make_comment, make_issue, make_label, make_team
from tests.views.api import by_token, issue_url, issues_url

pytestmark = pytest.mark.django_db

MANY = 20


@pytest.fixture
def team() -> Team:
    return make_team(names=[f"user{n}" for n in range(MANY + 1)])


def queries(call: Callable[[], Response], status: int) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert call().status_code == status
    return len(captured)


def people(team: Team, count: int) -> list[User]:
    return list(team.members.values())[1 : count + 1]


def body(team: Team, count: int) -> dict[str, Any]:
    """A name, description, labels and assignees; `count` of all that can be many."""
    users = people(team, count)
    mentions = "".join(
        f'<mention-component entity_identifier="{user.id}" entity_name="user_mention"></mention-component>'
        for user in users
    )
    return {
        "name": f"Door {count}",
        "description_html": f"<p>{count} {mentions}</p>",
        "label_ids": [str(make_label(team, f"label {count}/{n}").id) for n in range(count)],
        "assignee_ids": [str(user.id) for user in users],
    }


@pytest.fixture
def client(team: Team) -> APIClient:
    return by_token(next(iter(team.members.values())))


def test_create(team: Team, client: APIClient) -> None:
    def count(number: int) -> int:
        sent = body(team, number)
        return queries(lambda: client.post(issues_url(team.project), sent, format="json"), 201)

    assert count(1) == count(MANY) <= 30


@pytest.mark.parametrize("removed", [1, MANY])
def test_change(team: Team, client: APIClient, removed: int) -> None:
    def count(number: int) -> int:
        issue = make_issue(team, assignees=[team.members[f"user{MANY}"]])
        for label in range(removed):
            make_label(team, f"old label {number}/{label}", issue)
        sent = body(team, number)
        return queries(lambda: client.patch(issue_url(issue), sent, format="json"), 200)

    assert count(1) == count(MANY - 1) <= 30


def test_list(team: Team, client: APIClient) -> None:
    url = issues_url(team.project)
    label = make_label(team, "wood", make_issue(team, assignees=people(team, 1)))
    few = queries(lambda: client.get(url), 200)
    for _ in range(MANY):
        issue = make_issue(team, assignees=people(team, 3))
        issue.label_links.create(issue=issue, label=label, project=team.project, workspace=team.workspace)
        make_comment(issue, people(team, 1)[0])
    assert queries(lambda: client.get(url), 200) == few <= 5


def test_comments(team: Team, client: APIClient) -> None:
    issue, author = make_issue(team), people(team, 1)[0]
    url = issue_url(issue, "comments/")
    make_comment(issue, author)
    few = queries(lambda: client.get(url), 200)
    for user in people(team, MANY):
        make_comment(issue, user)
    assert queries(lambda: client.get(url), 200) == few <= 5


@pytest.mark.parametrize(
    ("status", "rest", "body"),
    [
        (200, "bulk-operation-issues/", lambda ids: {"issue_ids": ids, "properties": {"priority": "high"}}),
        (200, "bulk-archive-issues/", lambda ids: {"issue_ids": ids}),
        (201, "cycles/{cycle}/cycle-issues/", lambda ids: {"issues": ids}),
        (201, "modules/{module}/issues/", lambda ids: {"issues": ids}),
        (201, "issues/{issue}/issue-relation/", lambda ids: {"relation_type": "blocking", "issues": ids}),
        (200, "issues/{issue}/sub-issues/", lambda ids: {"sub_issue_ids": ids}),
    ],
)
def test_many(
    team: Team, client: APIClient, status: int, rest: str, body: Callable[[list[str]], Any]
) -> None:
    place, owner = {"workspace": team.workspace, "project": team.project}, team.workspace.owner
    named = {
        "cycle": Cycle.objects.create(**place, name="Sprint", owned_by=owner).id,
        "module": Module.objects.create(**place, name="Doors").id,
        "issue": make_issue(team).id,
    }
    url = issues_url(team.project).removesuffix("issues/") + rest.format(**named)

    def count(number: int) -> int:
        issues = [make_issue(team, state=team.states["completed"]) for _ in range(number)]
        sent = body([str(issue.id) for issue in issues])
        return queries(lambda: client.post(url, sent, format="json"), status)

    assert count(2) == count(MANY) <= 30


def test_all_properties_of_many(team: Team, client: APIClient) -> None:
    """Nor does it with all that can be set, from whatever there was."""
    label, user = make_label(team, "wood"), people(team, 1)[0]
    url = f"{issues_url(team.project).removesuffix('issues/')}bulk-operation-issues/"
    properties = {
        "state_id": str(team.states["completed"].id),
        "start_date": "2026-03-01",
        "label_ids": [str(label.id)],
        "assignee_ids": [str(user.id)],
        "cycle_id": None,
    }

    def count(number: int) -> int:
        issues = [make_issue(team, state=team.states[["backlog", "started"][n % 2]]) for n in range(number)]
        sent = {"issue_ids": [str(issue.id) for issue in issues], "properties": properties}
        return queries(lambda: client.post(url, sent, format="json"), 200)

    assert count(2) == count(MANY) <= 35
