"""What the columns hold, by way of a whole export."""

import json
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from project.models import (
    Cycle,
    CycleIssue,
    Estimate,
    EstimatePoint,
    Issue,
    IssueAssignee,
    IssueLink,
    IssueRelation,
    Module,
    ModuleIssue,
    ProjectMember,
    RelationType,
    Role,
)
from tests.factories import Team, make_comment, make_issue, make_label, make_team
from tests.services.exports.exporting import (
    add_project,
    content,
    exported_csv,
    exported_json,
    exported_xlsx,
    files,
    moment,
)

pytestmark = pytest.mark.django_db(transaction=True)
PLANES = (
    "project_name project_identifier parent identifier sequence_id name state_name priority assignees"
    " subscribers created_by_name start_date target_date completed_at created_at updated_at archived_at"
    " estimate labels cycles modules links relations comments is_draft"
)
OURS = (
    " description url sub_issues_count link_count cycle_start_date cycle_end_date module_start_date"
    " module_target_date"
)


@pytest.fixture
def team() -> Team:
    return make_team()


def place(team: Team) -> dict[str, Any]:
    return {"workspace": team.workspace, "project": team.project}


@pytest.fixture
def full(team: Team) -> Issue:
    """An issue with something in every column."""
    ann, bob, carl = (team.members[name] for name in ("ann", "bob", "carl"))
    estimate = Estimate.objects.create(**place(team), name="Points")
    parent = make_issue(team, name="Parent")
    issue = make_issue(
        team,
        name="Fix the door",
        assignees=[carl, bob],
        subscribers=[ann],
        parent=parent,
        priority="high",
        state=team.states["started"],
        start_date=date(2026, 1, 2),
        target_date=date(2026, 2, 3),
        completed_at=moment("2026-03-04T05:06:07.999999"),
        created_at=moment("2026-01-15T23:30:00"),
        estimate_point=EstimatePoint.objects.create(**place(team), estimate=estimate, value="-3"),
        description_stripped="First line\nsecond line",
    )
    make_issue(team, name="Child", parent=issue)
    make_label(team, "bug, urgent", issue)
    make_label(team, "ui", issue)
    cycle = Cycle.objects.create(
        **place(team),
        name="Sprint 1",
        owned_by=ann,
        start_date=moment("2026-01-05T00:00:00"),
        end_date=moment("2026-01-18T23:59:59"),
    )
    CycleIssue.objects.create(**place(team), issue=issue, cycle=cycle)
    for name, start in (("Web", date(2026, 1, 1)), ("App", None)):
        module = Module.objects.create(**place(team), name=name, start_date=start)
        ModuleIssue.objects.create(**place(team), issue=issue, module=module)
    IssueLink.objects.create(**place(team), issue=issue, url="https://d.example/", title="Docs")
    IssueLink.objects.create(**place(team), issue=issue, url="https://e.example/")
    IssueRelation.objects.create(
        **place(team), issue=issue, related_issue=parent, relation_type=RelationType.BLOCKED_BY
    )
    make_comment(issue, bob, "<p>Hello</p>", created_at=moment("2026-01-20T10:00:00"))
    return issue


def exported(team: Team, issue: Issue) -> dict[str, Any]:
    (row,) = [row for row in exported_json(team) if row["sequence_id"] == issue.sequence_id]
    return row


def test_every_column_says_what_the_tracker_says(team, full, settings):
    row = exported(team, full)
    assert list(row) == (PLANES + OURS).split()
    assert row.pop("updated_at").startswith(full.updated_at.isoformat(timespec="seconds")[:16])
    url = row.pop("url")
    assert url == f"https://tracker.example.org/acme/projects/{team.project.id}/issues/{full.id}"
    assert row == {
        "project_name": "Rocket",
        "project_identifier": "ACME",
        "parent": "ACME-1",
        "identifier": "ACME-2",
        "sequence_id": 2,
        "name": "Fix the door",
        "state_name": "Started",
        "priority": "high",
        "assignees": ["Bob", "Carl"],
        "subscribers": ["Ann"],
        "created_by_name": "Ann",
        "start_date": "2026-01-02",
        "target_date": "2026-02-03",
        "completed_at": "2026-03-04T05:06:07+00:00",
        "created_at": "2026-01-15T23:30:00+00:00",
        "archived_at": None,
        "estimate": "-3",
        "labels": ["bug, urgent", "ui"],
        "cycles": ["Sprint 1"],
        "modules": ["App", "Web"],
        "links": [
            {"url": "https://d.example/", "title": "Docs"},
            {"url": "https://e.example/", "title": "https://e.example/"},
        ],
        "relations": [{"type": "blocked_by", "issue": "ACME-1"}],
        "comments": [{"comment": "Hello", "created_by": "Bob", "created_at": "2026-01-20T10:00:00+00:00"}],
        "is_draft": False,
        "description": "First line\nsecond line",
        "sub_issues_count": 1,
        "link_count": 2,
        "cycle_start_date": ["2026-01-05"],
        "cycle_end_date": ["2026-01-18"],
        "module_start_date": [None, "2026-01-01"],
        "module_target_date": [None, None],
    }


def test_the_other_formats_say_the_same_in_cells(team, full):
    (in_csv,) = [row for row in exported_csv(team) if row["Identifier"] == "ACME-2"]
    (in_xlsx,) = [row for row in exported_xlsx(team) if row["Identifier"] == "ACME-2"]
    same = {
        "Assignees": "Bob; Carl",
        "Labels": "bug, urgent; ui",
        "Links": "Docs: https://d.example/\nhttps://e.example/",
        "Relations": "blocked by ACME-1",
        "Module Start Date": "–; 2026-01-01",
        "Estimate": "-3",
        "Description": "First line\nsecond line",
    }
    for title, cell in same.items():
        assert (in_csv[title], in_xlsx[title]) == (cell, cell)
    assert (in_csv["Start Date"], in_xlsx["Start Date"].date()) == ("2026-01-02", date(2026, 1, 2))


def test_a_relation_is_seen_from_both_sides(team, full):
    assert exported(team, full.parent)["relations"] == [{"type": "blocking", "issue": "ACME-2"}]


def test_days_stay_and_times_move_with_the_zone(team):
    make_issue(team, target_date=date(2024, 3, 12), created_at=moment("2026-01-15T23:30:00"))
    for zone, time in (
        ("America/Sao_Paulo", "2026-01-15T20:30:00-03:00"),
        ("Pacific/Kiritimati", "2026-01-16T13:30:00+14:00"),
        ("Asia/Kathmandu", "2026-01-16T05:15:00+05:45"),
    ):
        (in_json,), (in_csv,) = exported_json(team, time_zone=zone), exported_csv(team, time_zone=zone)
        (in_xlsx,) = exported_xlsx(team, time_zone=zone)
        assert [in_json["target_date"], in_csv["Target Date"]] == ["2024-03-12"] * 2
        assert [in_json["created_at"], in_csv["Created At"]] == [time] * 2
        assert in_xlsx["Target Date"].date() == date(2024, 3, 12)
        assert in_xlsx[f"Created At ({zone})"].isoformat() == time[:19]


def test_the_days_of_a_cycle_are_those_of_its_project(team):
    cycle = Cycle.objects.create(
        **place(team),
        name="Sprint",
        owned_by=team.members["ann"],
        start_date=moment("2025-12-31T18:15:00"),  # midnight of the first of January in Kathmandu
    )
    CycleIssue.objects.create(**place(team), issue=make_issue(team), cycle=cycle)
    for zone, day in (("Asia/Kathmandu", "2026-01-01"), ("No/Such_Zone", "2025-12-31")):
        type(team.project).objects.update(timezone=zone)
        assert exported_json(team, time_zone="America/Sao_Paulo")[0]["cycle_start_date"] == [day]


def test_what_was_removed_is_not_there_and_nothing_is_there_twice(team):
    bob, carl = team.members["bob"], team.members["carl"]
    issue = make_issue(team, assignees=[bob, carl])
    now = timezone.now()
    IssueAssignee.objects.update(deleted_at=now)
    IssueAssignee.objects.create(**place(team), issue=issue, assignee=bob)
    label = make_label(team, "bug", issue, issue)
    gone = make_label(team, "gone", issue)
    type(gone).objects.filter(id=gone.id).update(deleted_at=now)
    comment = make_comment(issue, bob, "gone")
    type(comment).objects.update(deleted_at=now)
    IssueLink.objects.create(**place(team), issue=issue, url="https://x.example", deleted_at=now)
    make_issue(team, name="gone", deleted_at=now, parent=issue)
    rows = exported_json(team)
    assert [row["name"] for row in rows] == ["Fix the door"]
    assert rows[0]["assignees"] == ["Bob"]
    assert rows[0]["labels"] == [label.name]
    assert (rows[0]["comments"], rows[0]["links"], rows[0]["link_count"]) == ([], [], 0)
    assert rows[0]["sub_issues_count"] == 0


def test_people_without_a_name_are_called_by_their_display_name(team):
    bob = team.members["bob"]
    type(bob).objects.filter(id=bob.id).update(first_name=" ", last_name="")
    make_issue(team, assignees=[bob])
    assert exported_json(team)[0]["assignees"] == ["bob"]


@pytest.mark.parametrize("moment_", ["infinity", "-infinity", "12000-01-01", "0044-03-15 BC"])
def test_times_that_no_calendar_holds_are_left_empty_and_cost_nothing_else(team, moment_):
    make_issue(team)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE issues SET completed_at = %s, target_date = %s", [moment_, moment_])
    (row,) = exported_json(team)
    assert (row["name"], row["completed_at"], row["target_date"]) == ("Fix the door", None, None)
    assert exported_csv(team)[0]["Completed At"] == ""


def test_formulas_are_kept_from_working_in_every_text(team):
    evil = '=HYPERLINK("https://evil.example")'
    issue = make_issue(team, name=evil, description_stripped="\t=1")
    make_label(team, "@SUM(A1)", issue)
    bob = team.members["bob"]
    type(bob).objects.filter(id=bob.id).update(first_name="+1", last_name="+1")
    IssueAssignee.objects.create(**place(team), issue=issue, assignee=bob)
    (in_csv,), (in_xlsx,) = exported_csv(team), exported_xlsx(team)
    found = [in_csv[title] for title in ("Name", "Description", "Labels", "Assignees")]
    assert found == [f"'{evil}", "'\t=1", "'@SUM(A1)", "'+1 +1"]
    found = [in_xlsx[title] for title in ("Name", "Description", "Labels", "Assignees")]
    assert found == [evil, "\t=1", "@SUM(A1)", "+1 +1"]


def test_a_project_without_issues_is_a_head_alone(team):
    assert exported_csv(team) == []
    assert content(team, "csv").count(b"\r\n") == 1
    assert json.loads(content(team, "json")) == []
    assert exported_xlsx(team) == []


def test_projects_share_a_file_or_have_one_each(team):
    second = add_project(team, 'A/B:[x]?* "Ü"', "BETA", guest_view_all_features=True)
    ProjectMember.objects.create(
        workspace=team.workspace, project=second, member=team.members["ann"], role=Role.MEMBER
    )
    make_issue(team)
    Issue.objects.create(workspace=team.workspace, project=second, name="Other", sequence_id=1)
    (together,) = files(team, "json").items()
    assert together[0] == "acme-issues.json"
    assert [row["identifier"] for row in json.loads(together[1])] == ["BETA-1", "ACME-1"]
    apart = {name: json.loads(data) for name, data in files(team, "json", multiple=True).items()}
    assert {name: [row["identifier"] for row in rows] for name, rows in apart.items()} == {
        "BETA-A_B_[x]__ _Ü_.json": ["BETA-1"],
        "ACME-Rocket.json": ["ACME-1"],
    }
    assert list(files(team, "xlsx", multiple=True)) == ["BETA-A_B_[x]__ _Ü_.xlsx", "ACME-Rocket.xlsx"]
