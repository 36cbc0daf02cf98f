"""What nobody touches for as long as the project says is archived or closed, once, and people are told."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from project.limits import Limits
from project.models import (
    Cycle,
    CycleIssue,
    Issue,
    IssueActivity,
    IssueEvent,
    Module,
    ModuleIssue,
    Notification,
    Project,
    State,
)
from project.services.notifications import idle_issues
from project.services.notifications.fan_out import fan_out
from project.services.notifications.idle_issues import archive_idle, close_idle
from tests.factories import Team, make_issue, make_team

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 6, 1, 1, 0, tzinfo=UTC)
LIMITS = Limits()
DAY = timedelta(days=1)


@pytest.fixture
def team() -> Team:
    return make_team(archive_in=3, close_in=2)


def idle(team: Team, state: str, days: float = 91, **fields: Any) -> Issue:
    """An issue that nobody touched for so many days."""
    issue = make_issue(team, state=team.states[state], subscribers=[team.members["bob"]], **fields)
    Issue.all_objects.filter(id=issue.id).update(updated_at=NOW - days * DAY)
    return issue


def archived() -> str:
    return str(archive_idle(now=NOW, limits=LIMITS))


def closed() -> str:
    return str(close_idle(now=NOW, limits=LIMITS))


def now(issue: Issue) -> Issue:
    return Issue.objects.get(id=issue.id)


@pytest.mark.parametrize("state", ["completed", "cancelled"])
def test_what_is_done_with_and_idle_is_archived_once_and_people_are_told_why(team, state):
    issue = idle(team, state)
    moved = archive_idle(now=NOW, limits=LIMITS)
    assert now(issue).archived_at == NOW.date()
    for wake in moved.wakes:
        fan_out(*wake, now=NOW, limits=LIMITS)
    told = Notification.objects.values_list("receiver__display_name", "triggered_by").order_by(
        "receiver__email"
    )
    assert list(told) == [("ann", None), ("bob", None)]
    assert "automatically after 3 months" in IssueActivity.objects.get().comment
    assert archived() == "moved 0"
    assert IssueEvent.objects.count() == 1


@pytest.mark.parametrize("state", ["backlog", "unstarted", "started"])
def test_what_is_open_and_idle_is_closed_once_and_people_are_told_why(team, state):
    issue = idle(team, state, 61)
    assert closed() == "moved 1"
    assert now(issue).state == team.states["cancelled"]
    assert "closed the issue automatically after 2 months" in IssueActivity.objects.get().comment
    assert (closed(), archived()) == ("moved 0", "moved 0")


def test_a_closed_issue_is_archived_when_it_was_idle_again(team):
    idle(team, "started")
    assert closed() == "moved 1"
    Issue.objects.update(updated_at=NOW - 91 * DAY)
    assert archived() == "moved 1"


def add_first_cancelled_state(team: Team) -> None:
    place = {"workspace": team.workspace, "project": team.project}
    State.objects.create(**place, name="Void", group="cancelled", sequence=1)


@pytest.mark.parametrize(
    ("named", "state"),
    [
        (lambda team: team.states["completed"], "Completed"),
        (lambda team: team.states["cancelled"], "Cancelled"),
        (lambda team: team.states["backlog"], "Void"),  # nothing is closed by being in it
        (lambda team: make_team("other").states["cancelled"], "Void"),
        (lambda team: None, "Void"),
    ],
)
def test_issues_are_closed_to_the_state_the_project_names_or_its_first_cancelled_one(
    team, named: Callable[[Team], State | None], state: str
):
    add_first_cancelled_state(team)
    Project.objects.filter(id=team.project.id).update(default_state=named(team))
    issue = idle(team, "started")
    assert closed() == "moved 1"
    assert now(issue).state.name == state


def test_without_such_a_state_issues_stay_open(team):
    idle(team, "started")
    State.objects.filter(group="cancelled").update(deleted_at=NOW)
    assert closed() == "moved 0"


def planned_for_cycle(issue: Issue, ends: datetime | None) -> None:
    place = {"workspace": issue.workspace, "project": issue.project}
    cycle = Cycle.objects.create(**place, name="May", owned_by=issue.created_by, end_date=ends)
    CycleIssue.objects.create(**place, issue=issue, cycle=cycle)


def planned_for_module(issue: Issue, ends: datetime | None) -> None:
    place = {"workspace": issue.workspace, "project": issue.project}
    module = Module.objects.create(**place, name=str(issue.id), target_date=ends)
    ModuleIssue.objects.create(**place, issue=issue, module=module)


@pytest.mark.parametrize("plan", [planned_for_cycle, planned_for_module])
@pytest.mark.parametrize(("ends", "moved"), [(NOW - DAY, 1), (NOW + DAY, 0), (None, 0)])
def test_what_is_planned_for_something_that_is_not_over_is_not_idle(team, plan, ends, moved):
    plan(idle(team, "completed"), ends)
    plan(idle(team, "started"), ends)
    assert (archived(), closed()) == (f"moved {moved}", f"moved {moved}")
    CycleIssue.objects.update(deleted_at=NOW)
    ModuleIssue.objects.update(deleted_at=NOW)
    assert archived() == f"moved {1 - moved}"


@pytest.mark.parametrize(
    "fields", [{"is_draft": True}, {"archived_at": NOW.date()}, {"deleted_at": NOW}, {"days": 60}]
)
def test_drafts_and_what_is_archived_deleted_or_was_touched_lately_is_left_alone(team, fields):
    idle(team, "completed", **fields)
    idle(team, "started", **fields)
    assert (archived(), closed()) == ("moved 0", "moved 0")


@pytest.mark.parametrize(
    "change", [{"archive_in": 0, "close_in": 0}, {"archived_at": NOW}, {"deleted_at": NOW}]
)
def test_projects_without_the_rule_and_projects_that_are_over_are_left_alone(team, change):
    idle(team, "completed")
    idle(team, "started")
    Project.objects.update(**change)
    assert (archived(), closed()) == ("moved 0", "moved 0")


def test_one_that_cannot_be_moved_costs_itself(team, monkeypatch, caplog):
    issues = [idle(team, "completed", 91 + n) for n in range(3)]
    real = idle_issues.archive

    def archive(issue_id, **options):
        if issue_id == issues[1].id:
            raise ValueError("unreadable")
        return real(issue_id, **options)

    monkeypatch.setattr(idle_issues, "archive", archive)
    assert archived() == "moved 2, failed 1"
    assert f"issue {issues[1].id} cannot be moved" in caplog.text
    monkeypatch.undo()
    assert archived() == "moved 1"


def test_two_at_the_same_moment_move_each_once(team):
    for _ in range(8):
        idle(team, "completed")

    def run(_: int) -> str:
        try:
            return archived()
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(run, range(2)))
    assert sum(int(words.removeprefix("moved ")) for words in both) == IssueEvent.objects.count() == 8
