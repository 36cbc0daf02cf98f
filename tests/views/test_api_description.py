"""The description of the API: whole, valid, and true when somebody sends whatever it allows."""

from collections import defaultdict
from collections.abc import Iterator
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
import schemathesis
import yaml
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connection, transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.authtoken.models import Token
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from project.models import ATTACHMENT, Cycle, Exporter, ExportRun, FileAsset, Issue, IssueLink, Module
from project.views.api import urls
from project.views.api.operations import OPERATIONS
from project.wsgi import application
from tests.factories import Team, make_comment, make_issue, make_label, make_team
from tests.services.notifications.inboxes import make_notification

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
METHODS = ("get", "post", "put", "patch", "delete")
EXAMPLES = 6  # of each operation


def described() -> dict[str, Any]:
    output, warnings = StringIO(), StringIO()
    call_command("spectacular", "--validate", stdout=output, stderr=warnings)
    assert warnings.getvalue() == ""
    return dict(yaml.safe_load(output.getvalue()))


def test_it_is_valid_and_knows_every_operation() -> None:
    paths = described()["paths"]
    views = [pattern.callback.cls for pattern in urls.urlpatterns]  # type: ignore[union-attr]
    handled = {
        (view, method)
        for view in views
        for method in METHODS
        if hasattr(view, method) and view.__module__ != "project.views.api.description"
    }
    assert {(view, method) for view, operations in OPERATIONS.items() for method in operations} == handled
    assert sum(len(set(path) & set(METHODS)) for path in paths.values()) >= len(handled)


def test_an_address_that_is_not_there_is_answered_in_json(client: Client) -> None:
    assert client.get("/api/nothing/").json() == {"error": "There is no such address."}
    assert b"<h1>" in client.get("/nothing/").content


@pytest.mark.django_db
def test_it_is_served_with_a_page_that_loads_nothing_from_elsewhere(client: Client) -> None:
    assert client.get("/api/schema/").status_code == 200
    page = client.get("/api/docs/")
    assert page.status_code == 200
    assert b"https://" not in page.content


@pytest.fixture
def team(redis_server: str) -> Team:
    return make_team()


@pytest.fixture
def issue(team: Team) -> Issue:
    return make_issue(team)


@pytest.fixture
def real(team: Team, issue: Issue) -> dict[str, str]:
    """What is there: without it every request would end at the first look-up."""
    ann, place = team.members["ann"], {"workspace": team.workspace, "project": team.project}
    file = {"asset": "acme/plan.pdf", "entity_type": ATTACHMENT, "created_by": ann}
    group, export = uuid4(), Exporter(workspace=team.workspace, initiated_by=ann, provider="csv")
    export.save()
    ExportRun.objects.create(export=export, wish=uuid4())
    Module.objects.create(**place, id=group, name="Doors")
    rows: dict[str, Any] = {
        "project_id": team.project,
        "issue_id": issue,
        "comment_id": make_comment(issue, ann),
        "link_id": IssueLink.objects.create(**place, issue=issue, url="https://example.org"),
        "asset_id": FileAsset.objects.create(**place, issue=issue, **file),
        "group_id": Cycle.objects.create(**place, id=group, name="Sprint", owned_by=ann),
        "notification_id": make_notification(ann, issue, actor=team.members["bob"]),
        "export_id": export,
    }
    return {"slug": team.workspace.slug, **{name: str(row.id) for name, row in rows.items()}}


@pytest.fixture
def values(team: Team, issue: Issue) -> dict[str, Any]:
    """What bodies can refer to, by the names of their fields."""
    state, label, other = team.states["started"], make_label(team, "wood"), str(make_issue(team).id)
    people = [str(team.members[name].id) for name in ("ann", "bob")]
    return {
        **dict.fromkeys(("state_id", "state"), str(state.id)),
        **{name: [str(label.id)] for name in ("label_ids", "labels")},
        **dict.fromkeys(("assignee_ids", "assignees"), people),
        **dict.fromkeys(("parent_id", "parent", "related_issue"), other),
        **{name: [other] for name in ("issues", "issue_ids", "sub_issue_ids")},
        "project": [str(team.project.id)],
    }


@pytest.fixture
def operations(db: None) -> Iterator[Iterator[Any]]:
    # A request would close the connection of the test's transaction; Django's own client does the same.
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    schema = schemathesis.openapi.from_wsgi("/api/schema/", application)
    yield (found.ok() for found in schema.get_all_operations())
    for signal in signals:
        signal.connect(close_old_connections)


@pytest.mark.django_db
def test_no_request_that_it_allows_ends_in_a_server_s_error(
    operations: Iterator[Any], real: dict[str, str], values: dict[str, Any], team: Team
) -> None:
    token = Token.objects.create(user=team.members["ann"], created=timezone.now())
    answers: dict[str, set[int]] = defaultdict(set)
    wrong = {}
    for operation in operations:

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        @given(
            case=operation.as_strategy(),
            places=st.sampled_from([real, real, {}]),
            known=st.sampled_from([values, {}]),
        )
        def send(case: Any, places: dict[str, str], known: dict[str, Any]) -> None:
            case.path_parameters = {
                name: places.get(name, value) for name, value in case.path_parameters.items()
            }
            if isinstance(case.body, dict):
                case.body = {name: known.get(name, value) for name, value in case.body.items()}
            response = call(case, token)
            answers[operation.label].add(response.status_code)  # noqa: B023 (called in this round)
            case.validate_response(response, checks=CHECKS)

        try:
            send()
        except FailureGroup as found:
            wrong[operation.label] = [str(failure) for failure in found.exceptions]
    assert wrong == {}
    assert len(answers) > len(OPERATIONS)
    assert [label for label, statuses in answers.items() if statuses == {404}] == []


def call(case: Any, token: Token) -> Any:
    """Send it and take back what it did, so that every request finds everything."""
    before = transaction.savepoint()
    response = case.call(headers={"X-Api-Key": token.key})
    connection.check_constraints()  # as the commit would
    transaction.savepoint_rollback(before)
    return response
