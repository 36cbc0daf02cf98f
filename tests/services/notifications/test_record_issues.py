"""What each change of an issue writes, in Plane's words."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from project.models import (
    Estimate,
    EstimatePoint,
    Issue,
    IssueActivity,
    IssueEvent,
    ProjectMember,
    Role,
    State,
)
from project.services.notifications.issues import create_issue, delete_issue, update_issue
from project.services.notifications.references import RefusedError
from project.services.notifications.values import IssueValues
from tests.factories import Team, make_issue, make_label, make_team

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
COLUMNS = ("verb", "field", "comment", "old_value", "new_value", "old_identifier", "new_identifier")


@pytest.fixture
def team() -> Team:
    return make_team()


def rows(issue: Issue | None = None) -> list[tuple[Any, ...]]:
    """The activities, of one issue if it is given."""
    activities = IssueActivity.objects.filter(issue=issue) if issue else IssueActivity.objects
    return list(activities.order_by("created_at").values_list(*COLUMNS))


def update(team: Team, issue: Issue, values: IssueValues, now: datetime = NOW) -> Issue:
    update_issue(issue.id, values, actor=team.members["bob"], now=now)
    return Issue.objects.get(id=issue.id)


def test_created(team: Team) -> None:
    bob = team.members["bob"]
    values: IssueValues = {
        "name": "Door",
        "description_html": "<p>It <b>sticks</b></p>",
        "priority": "urgent",
        "state_id": team.states["started"].id,
        "assignee_ids": [bob.id],
        "label_ids": [make_label(team, "wood").id],
        "parent_id": make_issue(team).id,
        "start_date": date(2026, 3, 1),
        "target_date": date(2026, 3, 1),
    }

    issue, [wake, _] = create_issue(team.project, values, actor=team.members["ann"], now=NOW)

    issue = Issue.objects.get(id=issue.id)
    assert {key: getattr(issue, key) for key in values if not key.endswith("_ids")} == {
        key: value for key, value in values.items() if not key.endswith("_ids")
    }
    assert (issue.description_stripped, issue.sequence_id, issue.completed_at) == ("It sticks", 2, None)
    assert (issue.created_at, issue.created_by) == (NOW, team.members["ann"])
    assert [link.label.name for link in issue.label_links.all()] == ["wood"]
    assert rows(issue) == [
        ("created", None, "created the issue", None, None, None, None),
        ("updated", "assignees", "added assignee ", "", "bob", None, bob.id),
    ]
    assert rows(issue.parent) == [("updated", "sub_issues", "added sub-issue ", "", "ACME-2", None, issue.id)]
    event = IssueEvent.objects.get(id=wake.row_id)
    assert (event.kind, len(event.activity_ids)) == ("issue.activity.created", 2)
    assert IssueActivity.objects.get(verb="created").created_at == issue.created_at


def test_a_new_issue_starts_in_the_default_state(team: Team) -> None:
    def state() -> str:
        issue, _ = create_issue(team.project, {"name": "New"}, actor=team.members["ann"], now=NOW)
        return issue.state.group if issue.state else ""

    assert state() == "backlog"
    team.project.default_state = team.states["unstarted"]
    assert state() == "unstarted"
    State.objects.all().delete()
    assert state() == ""


def test_created_in_a_completed_state_is_completed(team: Team) -> None:
    values: IssueValues = {"name": "Done", "state_id": team.states["completed"].id}
    issue, _ = create_issue(team.project, values, actor=team.members["ann"], now=NOW)
    assert issue.completed_at == NOW


def test_the_number_of_a_deleted_issue_is_not_given_out_again(team: Team) -> None:
    ann = team.members["ann"]
    first, _ = create_issue(team.project, {"name": "One"}, actor=ann, now=NOW)
    delete_issue(first.id, actor=ann, now=NOW)
    second, _ = create_issue(team.project, {"name": "Two"}, actor=ann, now=NOW)
    assert (first.sequence_id, second.sequence_id) == (1, 2)


def test_name(team: Team) -> None:
    assert update(team, make_issue(team, name="Door"), {"name": "Gate"}).name == "Gate"
    assert rows() == [("updated", "name", "updated the name to", "Door", "Gate", None, None)]


def test_priority(team: Team) -> None:
    assert update(team, make_issue(team), {"priority": "high"}).priority == "high"
    assert rows() == [("updated", "priority", "updated the priority to", "none", "high", None, None)]


def test_dates(team: Team) -> None:
    issue = make_issue(team)
    update(team, issue, {"start_date": date(2026, 3, 2), "target_date": date(2026, 4, 1)})
    issue = update(team, issue, {"start_date": None})
    assert (issue.start_date, issue.target_date) == (None, date(2026, 4, 1))
    assert rows() == [
        ("updated", "target_date", "updated the target date to", "", "2026-04-01", None, None),
        ("updated", "start_date", "updated the start date to ", "", "2026-03-02", None, None),
        ("updated", "start_date", "updated the start date to ", "2026-03-02", "", None, None),
    ]


def test_state_and_completion(team: Team) -> None:
    backlog, done, cancelled = (team.states[group] for group in ("backlog", "completed", "cancelled"))
    shipped = State.objects.create(
        workspace=team.workspace, project=team.project, name="Shipped", group="completed"
    )
    issue = make_issue(team)
    later = NOW + timedelta(hours=1)

    assert update(team, issue, {"state_id": done.id}).completed_at == NOW
    assert update(team, issue, {"state_id": shipped.id}, later).completed_at == NOW
    assert update(team, issue, {"state_id": cancelled.id}, later).completed_at is None

    words = ("updated", "state", "updated the state to")
    assert rows() == [
        (*words, "Backlog", "Completed", backlog.id, done.id),
        (*words, "Completed", "Shipped", done.id, shipped.id),
        (*words, "Shipped", "Cancelled", shipped.id, cancelled.id),
    ]


def test_a_state_that_was_deleted_still_has_its_name(team: Team) -> None:
    issue = make_issue(team)
    State.objects.filter(id=team.states["backlog"].id).update(deleted_at=NOW)
    update(team, issue, {"state_id": team.states["started"].id})
    assert rows()[0][3:5] == ("Backlog", "Started")


def test_parent(team: Team) -> None:
    first, second, issue = (make_issue(team) for _ in range(3))
    for parent_id in (first.id, second.id, None):
        update(team, issue, {"parent_id": parent_id})
    words = ("updated", "parent", "updated the parent issue to")
    assert rows(issue) == [
        (*words, "", "ACME-1", None, first.id),
        (*words, "ACME-1", "ACME-2", first.id, second.id),
        (*words, "ACME-2", "", second.id, None),
    ]
    added = ("updated", "sub_issues", "added sub-issue ", "", "ACME-3", None, issue.id)
    removed = ("updated", "sub_issues", "removed sub-issue ", "ACME-3", "", issue.id, None)
    assert rows(first) == rows(second) == [added, removed]


def test_a_parent_that_was_deleted_hears_nothing(team: Team) -> None:
    parent, issue = make_issue(team), make_issue(team)
    update(team, issue, {"parent_id": parent.id})
    Issue.objects.filter(id=parent.id).update(deleted_at=NOW)
    update(team, issue, {"parent_id": None})
    assert rows(issue)[-1][3:5] == ("ACME-1", "")
    assert len(rows(parent)) == 1


def test_the_estimate(team: Team) -> None:
    place = {"workspace": team.workspace, "project": team.project}
    estimate = Estimate.objects.create(**place, name="Sizes", type="points")
    three, five = (EstimatePoint.objects.create(**place, estimate=estimate, value=v) for v in ("3", "5"))
    issue = make_issue(team)
    for point_id in (three.id, three.id, five.id, None, None):
        update(team, issue, {"estimate_point_id": point_id})
    field, words = "estimate_points", "updated the estimate point to "
    assert rows() == [
        ("updated", field, words, "", "3", None, three.id),
        ("updated", field, words, "3", "5", three.id, five.id),
        ("removed", field, words, "5", "", five.id, None),
    ]


def test_what_stays_the_same_leaves_no_trace(team: Team) -> None:
    issue = make_issue(team, assignees=[team.members["eve"]], start_date=date(2026, 3, 1))
    label = make_label(team, "wood", issue)
    values: IssueValues = {
        "name": issue.name,
        "description_html": issue.description_html,
        "priority": "none",
        "state_id": team.states["backlog"].id,
        "parent_id": None,
        "start_date": date(2026, 3, 1),
        "label_ids": [label.id, label.id],
        "assignee_ids": [team.members["eve"].id],
    }

    assert update_issue(issue.id, values, actor=team.members["bob"], now=NOW) == []
    assert update_issue(issue.id, {}, actor=team.members["bob"], now=NOW) == []

    assert rows() == []
    assert not IssueEvent.objects.exists()
    assert Issue.objects.get().updated_at == issue.updated_at


def test_deleted(team: Team) -> None:
    issue = make_issue(team)
    [wake] = delete_issue(issue.id, actor=team.members["bob"], now=NOW)
    assert rows() == [("deleted", "issue", "deleted the issue", None, None, None, None)]
    assert IssueEvent.objects.get(id=wake.row_id).kind == "issue.activity.deleted"
    assert Issue.all_objects.get().deleted_at == NOW
    with pytest.raises(Issue.DoesNotExist):
        delete_issue(issue.id, actor=team.members["bob"], now=NOW)
    with pytest.raises(Issue.DoesNotExist):
        update_issue(issue.id, {"name": "Ghost"}, actor=team.members["bob"], now=NOW)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"start_date": date(2026, 5, 2), "target_date": date(2026, 5, 1)}, "start_date"),
        ({"start_date": date(2026, 5, 2)}, "start_date"),
        ({"target_date": date(2026, 3, 31)}, "target_date"),
    ],
)
def test_dates_in_the_wrong_order_are_refused(team: Team, values: IssueValues, field: str) -> None:
    issue = make_issue(team, start_date=date(2026, 4, 1), target_date=date(2026, 5, 1))
    with pytest.raises(RefusedError, match="start date") as refused:
        update(team, issue, values)
    assert refused.value.field == field


def test_the_default_assignee_is_assigned_and_told_like_any_other(team: Team) -> None:
    eve = team.members["eve"]
    team.project.default_assignee = eve
    for values in ({"name": "New"}, {"name": "New", "assignee_ids": []}):
        IssueActivity.objects.all().delete()
        issue, _ = create_issue(team.project, values, actor=team.members["ann"], now=NOW)
        assert [link.assignee for link in issue.assignee_links.all()] == [eve]
        assert rows()[1:] == [("updated", "assignees", "added assignee ", "", "eve", None, eve.id)]


def test_named_assignees_replace_the_default_one(team: Team) -> None:
    team.project.default_assignee = team.members["eve"]
    values: IssueValues = {"name": "New", "assignee_ids": [team.members["bob"].id]}
    issue, _ = create_issue(team.project, values, actor=team.members["ann"], now=NOW)
    assert [link.assignee for link in issue.assignee_links.all()] == [team.members["bob"]]


@pytest.mark.parametrize("change", [{"is_active": False}, {"role": Role.GUEST}, {"deleted_at": NOW}])
def test_a_default_assignee_who_is_no_active_member_is_passed_over(
    team: Team, change: dict[str, Any]
) -> None:
    team.project.default_assignee = team.members["eve"]
    ProjectMember.objects.filter(member=team.members["eve"]).update(**change)
    issue, _ = create_issue(team.project, {"name": "New"}, actor=team.members["ann"], now=NOW)
    assert not issue.assignee_links.exists()
    assert [row[0] for row in rows()] == ["created"]
