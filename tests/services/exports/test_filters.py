from datetime import date
from uuid import uuid4

import pytest
from django.utils import timezone

from project.models import State, StateGroup
from project.services.exports.filters import Filters, Span
from tests.factories import Team, make_issue, make_label, make_team
from tests.services.exports.exporting import exported_json, moment

pytestmark = pytest.mark.django_db(transaction=True)
JANUARY, MAY = date(2026, 1, 31), date(2026, 5, 1)


@pytest.fixture
def team() -> Team:
    team = make_team()
    triage = State.objects.create(
        workspace=team.workspace, project=team.project, name="Triage", group=StateGroup.TRIAGE
    )
    bob, carl = team.members["bob"], team.members["carl"]
    make_issue(team, name="a", assignees=[bob, carl], priority="high", target_date=JANUARY)
    started = make_issue(team, name="b", assignees=[carl], state=team.states["started"], target_date=MAY)
    make_label(team, "bug", started)
    make_issue(team, name="c", created_at=moment("2025-12-31T23:30:00"))
    make_issue(team, name="archived", archived_at=timezone.now().date())
    make_issue(team, name="draft", is_draft=True)
    make_issue(team, name="triage", state=triage)
    make_issue(team, name="gone", deleted_at=timezone.now())
    make_issue(team, name="no state", state=None)
    return team


def found(team: Team, time_zone: str = "UTC", **filters: object) -> str:
    rows = exported_json(team, filters=Filters(**filters), time_zone=time_zone)
    return " ".join(row["name"] for row in rows)


def test_archived_drafts_and_triage_must_be_asked_for(team):
    assert found(team) == "a b c no state"
    assert found(team, archived=True) == "a b c archived no state"
    assert found(team, drafts=True) == "a b c draft no state"
    assert found(team, triage=True) == "a b c triage no state"
    assert found(team, archived=True, drafts=True, triage=True) == "a b c archived draft triage no state"


def test_each_filter_and_all_together(team):
    bob, carl = team.members["bob"].id, team.members["carl"].id
    label = make_label(team, "new").id
    assert found(team, state_groups=("started", "completed")) == "b"
    assert found(team, priorities=("high",)) == "a"
    assert found(team, assignees=(bob, carl)) == "a b"
    assert found(team, assignees=(uuid4(),)) == ""
    assert found(team, labels=(label,)) == ""
    assert found(team, dates={"target_date": Span(JANUARY, None)}) == "a b"
    assert found(team, dates={"target_date": Span(None, JANUARY)}) == "a"
    assert (
        found(team, dates={"target_date": Span(JANUARY, MAY)}, priorities=("none",), assignees=(carl,)) == "b"
    )


def test_moments_are_days_in_the_zone_of_the_export(team):
    new_year = {"created_at": Span(date(2026, 1, 1), date(2026, 1, 1))}
    assert found(team, dates=new_year) == ""
    assert found(team, dates=new_year, time_zone="Europe/Berlin") == "c"


def test_filters_read_back_what_they_wrote():
    filters = Filters(
        state_groups=("started", "backlog"),
        labels=(uuid4(),),
        dates={"start_date": Span(JANUARY, None)},
        archived=True,
    )
    data = filters.to_json()
    assert Filters.from_json(data).to_json() == data
    assert Filters.from_json({}) == Filters()
    assert Filters.from_json(data).dates == filters.dates


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"colour": "red"}, "no filter colour"),
        ({"state_groups": ["open"]}, "state_groups must be among backlog"),
        ({"state_groups": "started"}, "state_groups must be a list"),
        ({"priorities": [1]}, "priorities must be a list of texts"),
        ({"assignees": ["ann"]}, "assignees must be a list of ids"),
        ({"archived": "false"}, "archived must be true or false"),
        ({"dates": ["2026-01-01"]}, "dates must be an object"),
        ({"dates": {"name": [None, None]}}, "dates must be an object with some of start_date"),
        ({"dates": {"start_date": ["tomorrow", None]}}, "two days such as"),
        ({"dates": {"start_date": ["2026-01-01"]}}, "two days such as"),
        ({"dates": {"start_date": None}}, "two days such as"),
        ({"dates": {"start_date": ["20260131", None]}}, "start_date must be two days such as"),
        ({"dates": {"start_date": [None, "2026-W05-1"]}}, "start_date must be two days such as"),
        (
            {"dates": {"start_date": {"2026-01-01": 1, "2026-01-02": 2}}},
            "start_date must be two days such as",
        ),
    ],
)
def test_a_wrong_filter_is_explained(data, says):
    with pytest.raises(ValueError, match=says):
        Filters.from_json(data)
