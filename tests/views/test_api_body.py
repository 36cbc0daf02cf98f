"""Bodies of any shape: what is wrong is named, and nothing ends as a 500."""

import json
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from project.models import Issue, IssueEvent, State
from tests.factories import Team, make_issue, make_label, make_team
from tests.views.api import by_token, issue_url, issues_url

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def issue(team: Team) -> Issue:
    return make_issue(team)


@pytest.fixture
def client(team: Team) -> APIClient:
    return by_token(team.members["bob"])


LONE_SURROGATE = "\ud800"
BAD_VALUES = [
    *[("name", bad) for bad in (None, "", "  ", 5, 1.5, True, [], {}, "x" * 256, "a\0b", LONE_SURROGATE)],
    *[("description_html", bad) for bad in (None, 5, ["<p>"], "<p>\0</p>", f"<p>{LONE_SURROGATE}</p>")],
    *[("priority", bad) for bad in (None, "", "highest", 1, ["low"], LONE_SURROGATE, "URGENT")],
    *[("state_id", bad) for bad in (None, "", "todo", 10**40, -1, 1.5, [], {}, str(uuid4()))],
    *[("parent_id", bad) for bad in ("", "ACME-1", str(uuid4()))],
    *[("assignee_ids", bad) for bad in (None, "", "bob", {}, ["bob"], [None], [[]], [str(uuid4())], [1])],
    *[("label_ids", bad) for bad in (None, "wood", ["wood"], [str(uuid4())], {"a": 1})],
    *[("start_date", bad) for bad in ("", "tomorrow", "2026-02-30", "2026-03-01T10:00:00Z", 5, [], "\0")],
    *[("target_date", bad) for bad in ("10000-01-01", True, {})],
    *[("state", None), ("assignees", "bob"), ("labels", ["wood"]), ("parent", "ACME-1")],
]


@pytest.mark.parametrize(("field", "bad"), BAD_VALUES)
def test_the_bad_field_is_named(client: APIClient, team: Team, field: str, bad: Any) -> None:
    issue = make_issue(team, start_date="2000-01-01")
    body = json.dumps({"name": "Good", "start_date": "2000-01-01", field: bad})
    for send, url in ((client.post, issues_url(team.project)), (client.patch, issue_url(issue))):
        response = send(url, body, content_type="application/json")
        assert (response.status_code, response.json().keys()) == (400, {field})
    assert Issue.objects.get().name == issue.name
    assert not IssueEvent.objects.exists()


def test_a_new_issue_needs_a_name(client: APIClient, team: Team) -> None:
    response = client.post(issues_url(team.project), {"priority": "low"}, format="json")
    assert (response.status_code, response.json()) == (400, {"name": ["This field is required."]})


@pytest.mark.parametrize("bad", [None, "", 5, [], "a\0b", LONE_SURROGATE])
def test_a_comment_needs_a_text(client: APIClient, issue: Issue, bad: Any) -> None:
    body = json.dumps({"comment_html": bad})
    response = client.post(issue_url(issue, "comments/"), body, content_type="application/json")
    assert (response.status_code, response.json().keys()) == (400, {"comment_html"})


def test_what_belongs_to_another_project_is_named(client: APIClient, team: Team, issue: Issue) -> None:
    other = make_team("other")
    for field, value in {
        "state_id": str(other.states["backlog"].id),
        "label_ids": [str(make_label(other, "foreign").id)],
        "assignee_ids": [str(other.members["bob"].id)],
        "parent_id": str(make_issue(other).id),
    }.items():
        response = client.patch(issue_url(issue), {field: value}, format="json")
        assert (response.status_code, response.json().keys()) == (400, {field})
        assert "Not in this project" in response.json()[field][0]


def test_an_issue_is_not_its_own_parent(client: APIClient, issue: Issue) -> None:
    response = client.patch(issue_url(issue), {"parent_id": str(issue.id)}, format="json")
    assert response.json() == {"parent_id": ["An issue cannot be its own parent."]}


def test_an_issue_is_not_its_own_ancestor(client: APIClient, team: Team, issue: Issue) -> None:
    child = make_issue(team, parent=issue)
    for response in (
        client.patch(issue_url(issue), {"parent_id": str(child.id)}, format="json"),
        client.post(issue_url(child, "sub-issues/"), {"sub_issue_ids": [str(issue.id)]}, format="json"),
    ):
        assert (response.status_code, response.json()) == (
            400,
            {"parent_id": ["ACME-1 would be its own ancestor."]},
        )


def test_a_deleted_state_cannot_be_chosen(client: APIClient, team: Team, issue: Issue) -> None:
    started = team.states["started"]
    State.objects.filter(id=started.id).update(deleted_at=issue.created_at)
    response = client.patch(issue_url(issue), {"state_id": str(started.id)}, format="json")
    assert (response.status_code, response.json().keys()) == (400, {"state_id"})


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        '{"name": NaN}',
        "[" * 100_000,
        '{"a":' * 100_000,
        b"\xff\xfe",
        b'{"name": "\xff"}',
        "9" * 5000,
    ],
)
def test_what_is_no_json_is_refused_in_words(client: APIClient, team: Team, body: str | bytes) -> None:
    response = client.post(issues_url(team.project), body, content_type="application/json")
    assert response.status_code == 400
    assert response.json().keys() <= {"error", "name"}


@pytest.mark.parametrize("depth", range(100, 1000, 20))
def test_no_depth_of_nesting_is_an_error_of_ours(client: APIClient, issue: Issue, depth: int) -> None:
    nested = "[" * depth + "]" * depth
    for field in ("name", "priority", "assignee_ids", "start_date", "parent_id"):
        body = f'{{"{field}": {nested}}}'
        assert client.patch(issue_url(issue), body, content_type="application/json").status_code == 400


FIELDS = ["name", "description_html", "state_id", "priority", "assignee_ids", "label_ids", "start_date"]
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner),
    max_leaves=8,
)
ANY_BODY = JSON | st.dictionaries(
    st.sampled_from([*FIELDS, "target_date", "parent_id", "comment_html"]), JSON
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=ANY_BODY)
def test_no_body_is_an_error_of_ours(client: APIClient, issue: Issue, body: Any) -> None:
    for send, url in (
        (client.post, issues_url(issue.project)),
        (client.patch, issue_url(issue)),
        (client.post, issue_url(issue, "comments/")),
    ):
        response = send(url, json.dumps(body), content_type="application/json")
        assert response.status_code in {200, 201, 400}
