"""The description of the API: whole, valid, and true when somebody sends whatever it allows."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
import schemathesis
import yaml
from django.core.management import call_command
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

from project.views.api import urls
from project.views.api.operations import OPERATIONS
from project.wsgi import application
from tests.factories import Team, make_issue, make_team

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
METHODS = ("get", "post", "put", "patch", "delete")
EXAMPLES = 8  # of each operation


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
def real(team: Team) -> dict[str, str]:
    """What is there: without it every request would end at the first look-up."""
    return {
        "slug": team.workspace.slug,
        "project_id": str(team.project.id),
        "issue_id": str(make_issue(team).id),
    }


@pytest.fixture
def operations(db: None) -> Iterator[Any]:
    schema = schemathesis.openapi.from_wsgi("/api/schema/", application)
    return (found.ok() for found in schema.get_all_operations())


@pytest.mark.django_db(transaction=True)
def test_no_request_that_it_allows_ends_in_a_server_s_error(
    operations: Iterator[Any], real: dict[str, str], team: Team
) -> None:
    token = Token.objects.create(user=team.members["ann"], created=timezone.now())
    tried, wrong = 0, {}
    for operation in operations:
        tried += 1

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(), places=st.sampled_from([{}, real, real]))
        def send(case: Any, places: dict[str, str]) -> None:
            case.path_parameters = {
                name: places.get(name, value) for name, value in case.path_parameters.items()
            }
            response = case.call(headers={"X-Api-Key": token.key})
            case.validate_response(response, checks=CHECKS)

        try:
            send()
        except FailureGroup as found:
            wrong[operation.label] = [str(failure) for failure in found.exceptions]
    assert wrong == {}
    assert tried > len(OPERATIONS)
