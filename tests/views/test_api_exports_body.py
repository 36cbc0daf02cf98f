"""Wishes of any shape: what is wrong is named, and nothing ends as a 500."""

import json
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rest_framework.test import APIClient

from project.models import Exporter
from tests.factories import make_team
from tests.views.api import by_token

pytestmark = pytest.mark.django_db

EXPORTS = "/api/workspaces/acme/export-issues/"
LONE_SURROGATE = "\ud800"


@pytest.fixture
def client() -> APIClient:
    return by_token(make_team().members["bob"])


def post(client: APIClient, body: Any) -> Any:
    return client.post(EXPORTS, json.dumps(body), content_type="application/json")


@pytest.mark.parametrize(
    ("field", "bad"),
    [
        *[("provider", bad) for bad in (None, "", "pdf", "CSV", 5, True, ["csv"], {}, LONE_SURROGATE)],
        *[
            ("project", bad)
            for bad in (None, "", "acme", str(uuid4()), {}, ["x"], [None], [[]], [1], [uuid4().hex])
        ],
        *[("multiple", bad) for bad in (None, "false", "true", 0, 1, [], {})],
        *[("filters", bad) for bad in (None, [], "", 5, {"colour": 1}, {LONE_SURROGATE: 1})],
        *[("filters", {"state_groups": bad}) for bad in (None, "started", ["begun"], [1], {})],
        *[("filters", {"assignees": bad}) for bad in (None, ["bob"], [None])],
        *[
            ("filters", {"dates": bad})
            for bad in (None, [], {"born": []}, {"start_date": ["2026-02-30", None]})
        ],
        *[("filters", {"archived": bad}) for bad in (None, "false", 0)],
        *[
            ("time_zone", bad)
            for bad in (None, "", "Mars/Olympus", "../etc/passwd", 5, "a\0b", LONE_SURROGATE)
        ],
        ("rich_filters", {}),
    ],
)
def test_the_bad_field_is_named(client: APIClient, field: str, bad: Any) -> None:
    response = post(client, {"provider": "csv", field: bad})
    assert (response.status_code, response.json().keys()) == (400, {field})
    assert not Exporter.objects.exists()


def test_an_unknown_provider_is_refused_in_plane_s_words(client: APIClient) -> None:
    why = "Provider 'pdf' not found. There are: csv, json, xlsx."
    assert post(client, {"provider": "pdf"}).json() == {"provider": [why]}
    assert post(client, {}).json() == {"provider": ["This field is required."]}


def test_an_unknown_filter_is_named(client: APIClient) -> None:
    answer = post(client, {"provider": "csv", "filters": {"colour": ["red"]}})
    assert answer.json() == {"filters": ["There is no filter colour."]}


@pytest.mark.parametrize("body", [None, [], "csv", 5])
def test_a_body_that_is_no_object(client: APIClient, body: Any) -> None:
    assert post(client, body).status_code == 400


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["csv", "2026-01-01"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["dates", "start_date", "labels", "archived", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@given(
    body=st.fixed_dictionaries(
        {"provider": st.just("csv")},
        optional=dict.fromkeys(("project", "multiple", "filters", "time_zone"), ANYTHING),
    )
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_ends_as_a_500(client: APIClient, body: dict[str, Any]) -> None:
    assert post(client, body).status_code in {200, 400, 429}
