"""What an export holds is what its initiator may see at the moment of the snapshot."""

import pytest
from django.utils import timezone

from project.models import (
    Issue,
    IssueRelation,
    Project,
    ProjectMember,
    RelationType,
    Role,
    User,
    WorkspaceMember,
)
from project.services.exports.plan import NOTHING_LEFT
from project.services.exports.scope import Scope, scope_of
from tests.factories import Team, join, make_issue, make_team, make_user
from tests.services.exports.exporting import add_project, exported_json, make, requested

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def guest(team: Team) -> User:
    user = make_user("gus")
    join(team.workspace, team.project, user, Role.GUEST)
    return user


def names(team: Team, by: User) -> list[str]:
    return [row["name"] for row in exported_json(team, by=by)]


def test_a_guest_gets_what_they_created_or_are_assigned_to(team, guest):
    make_issue(team, name="created", created_by=guest)
    make_issue(team, name="assigned", assignees=[guest])
    make_issue(team, name="followed", subscribers=[guest])
    make_issue(team, name="other")
    assert names(team, guest) == ["created", "assigned"]
    assert len(names(team, team.members["bob"])) == 4
    Project.objects.update(guest_view_all_features=True)
    assert len(names(team, guest)) == 4


def test_a_guest_does_not_learn_of_hidden_issues_by_what_refers_to_them(team, guest):
    hidden = make_issue(team, name="hidden")
    own = make_issue(team, name="own", created_by=guest, parent=hidden)
    make_issue(team, name="hidden child", parent=own)
    IssueRelation.objects.create(
        workspace=team.workspace,
        project=team.project,
        issue=own,
        related_issue=hidden,
        relation_type=RelationType.DUPLICATE,
    )
    (row,) = exported_json(team, by=guest)
    assert (row["parent"], row["relations"], row["sub_issues_count"]) == (None, [], 0)


def test_a_relation_into_a_foreign_project_is_not_told(team):
    secret = add_project(team, "Secret", "SECRET")
    own = make_issue(team)
    other = Issue.objects.create(workspace=team.workspace, project=secret, name="x", sequence_id=1)
    IssueRelation.objects.create(
        workspace=team.workspace, project=team.project, issue=own, related_issue=other
    )
    assert exported_json(team)[0]["relations"] == []
    ProjectMember.objects.create(
        workspace=team.workspace, project=secret, member=team.members["ann"], role=Role.MEMBER
    )
    row = next(row for row in exported_json(team) if row["name"] == own.name)
    assert row["relations"] == [{"type": "blocked_by", "issue": "SECRET-1"}]


@pytest.mark.parametrize(
    "leave",
    [
        lambda user: ProjectMember.objects.filter(member=user).update(is_active=False),
        lambda user: ProjectMember.objects.filter(member=user).update(deleted_at=timezone.now()),
        lambda user: WorkspaceMember.objects.filter(member=user).update(is_active=False),
        lambda user: User.objects.filter(id=user.id).update(is_active=False),
        lambda user: Project.objects.update(archived_at=timezone.now()),
        lambda user: Project.objects.update(deleted_at=timezone.now()),
    ],
)
def test_who_lost_access_between_request_and_run_gets_a_reason_and_no_rows(team, leave):
    make_issue(team)
    export = requested(team, by="bob")
    leave(team.members["bob"])
    run = make(export)
    assert (run.status, run.reason) == ("failed", NOTHING_LEFT)


def test_projects_that_were_lost_are_left_out_and_the_others_stay(team):
    second = add_project(team, "Second", "SECOND")
    join_second = {"workspace": team.workspace, "project": second, "role": Role.MEMBER}
    ProjectMember.objects.create(**join_second, member=team.members["bob"])
    make_issue(team)
    export = requested(team, by="bob")
    ProjectMember.objects.filter(project=second).update(is_active=False)
    run = make(export)
    assert (run.status, run.rows_total, run.full_projects) == ("completed", 1, [team.project.id])


def test_two_memberships_of_which_one_was_removed_do_not_double_issues(team):
    bob = team.members["bob"]
    ProjectMember.objects.filter(member=bob).update(deleted_at=timezone.now())
    ProjectMember.objects.create(workspace=team.workspace, project=team.project, member=bob, role=Role.MEMBER)
    make_issue(team)
    assert len(names(team, bob)) == 1


def test_nobody_sees_anything_of_a_workspace_that_is_not_theirs(team):
    other = make_team("other")
    assert scope_of(team.members["ann"].id, other.workspace.id) == Scope()


def test_a_scope_covers_what_is_in_it(team):
    one, two = team.project.id, add_project(team, "B", "B").id
    everything, guest = Scope(frozenset({one, two})), Scope(frozenset({one}), frozenset({two}))
    assert everything.covers(guest)
    assert not guest.covers(everything)
    assert guest.covers(guest)
    assert not Scope().covers(guest)
    assert guest.within(frozenset({two})) == Scope(frozenset(), frozenset({two}))
