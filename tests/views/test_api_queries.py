"""The number of queries does not grow with what a request carries or finds."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.response import Response

from project.models import User
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


def test_create(team: Team) -> None:
    client, url = by_token(next(iter(team.members.values()))), issues_url(team.project)
    one, many = body(team, 1), body(team, MANY)
    counts = [queries(lambda b=b: client.post(url, b, format="json"), 201) for b in (one, many)]  # type: ignore[misc]
    assert counts[0] == counts[1] <= 30


def test_change(team: Team) -> None:
    client = by_token(next(iter(team.members.values())))

    def count(number: int) -> int:
        issue = make_issue(team, assignees=people(team, number)[:-1] or people(team, 2)[1:])
        make_label(team, f"old {number}", issue)
        sent = {**body(team, number), "assignee_ids": body_of(people(team, number))}
        return queries(lambda: client.patch(issue_url(issue), sent, format="json"), 200)

    def body_of(users: list[User]) -> list[str]:
        return [str(users[-1].id)]

    assert count(1) == count(MANY) <= 30


def test_list(team: Team) -> None:
    client, url = by_token(next(iter(team.members.values()))), issues_url(team.project)
    label = make_label(team, "wood", make_issue(team, assignees=people(team, 1)))
    few = queries(lambda: client.get(url), 200)
    for _ in range(MANY):
        issue = make_issue(team, assignees=people(team, 3))
        issue.label_links.create(issue=issue, label=label, project=team.project, workspace=team.workspace)
        make_comment(issue, people(team, 1)[0])
    assert queries(lambda: client.get(url), 200) == few <= 5


def test_comments(team: Team) -> None:
    issue, author = make_issue(team), people(team, 1)[0]
    client, url = by_token(author), issue_url(issue, "comments/")
    make_comment(issue, author)
    few = queries(lambda: client.get(url), 200)
    for user in people(team, MANY):
        make_comment(issue, user)
    assert queries(lambda: client.get(url), 200) == few <= 5
