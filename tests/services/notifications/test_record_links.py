"""Labels and assignees: one activity for each that is added or removed."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from project.models import (
    Issue,
    IssueActivity,
    IssueAssignee,
    IssueLabel,
    Label,
    ProjectMember,
    Role,
    User,
    WorkspaceMember,
)
from project.services.notifications.issues import update_issue
from project.services.notifications.references import RefusedError
from tests.factories import Team, make_issue, make_label, make_team, make_user

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
COLUMNS = ("field", "comment", "old_value", "new_value", "old_identifier", "new_identifier")


@pytest.fixture
def team() -> Team:
    return make_team()


def rows() -> list[tuple[Any, ...]]:
    return list(IssueActivity.objects.order_by("created_at").values_list(*COLUMNS))


def test_labels(team: Team) -> None:
    issue = make_issue(team)
    old, kept = make_label(team, "old", issue), make_label(team, "kept", issue)
    new, newer = make_label(team, "new"), Label.objects.create(workspace=team.workspace, name="newer")

    wanted = [newer.id, kept.id, new.id, newer.id]
    update_issue(issue.id, {"label_ids": wanted}, actor=team.members["bob"], now=NOW)

    assert rows() == [
        ("labels", "added label ", "", "newer", None, newer.id),
        ("labels", "added label ", "", "new", None, new.id),
        ("labels", "removed label ", "old", "", old.id, None),
    ]
    assert {link.label for link in issue.label_links.all()} == {kept, new, newer}
    assert IssueLabel.all_objects.get(label=old).deleted_at == NOW


def test_assignees(team: Team) -> None:
    bob, carl, eve = (team.members[name] for name in ("bob", "carl", "eve"))
    issue = make_issue(team, assignees=[carl, bob])

    update_issue(issue.id, {"assignee_ids": [eve.id, carl.id]}, actor=bob, now=NOW)
    update_issue(issue.id, {"assignee_ids": [bob.id]}, actor=bob, now=NOW)

    assert rows() == [
        ("assignees", "added assignee ", "", "eve", None, eve.id),
        ("assignees", "removed assignee ", "bob", "", bob.id, None),
        ("assignees", "added assignee ", "", "bob", None, bob.id),
        ("assignees", "removed assignee ", "carl", "", carl.id, None),
        ("assignees", "removed assignee ", "eve", "", eve.id, None),
    ]
    assert [link.assignee for link in issue.assignee_links.all()] == [bob]
    assert IssueAssignee.all_objects.filter(issue=issue).count() == 4


def leave_project(user: User) -> None:
    ProjectMember.objects.filter(member=user).update(is_active=False)


def leave_workspace(user: User) -> None:
    WorkspaceMember.objects.filter(member=user).update(is_active=False)


def become_guest(user: User) -> None:
    ProjectMember.objects.filter(member=user).update(role=Role.GUEST)


def close_account(user: User) -> None:
    User.objects.filter(id=user.id).update(is_active=False)


@pytest.mark.parametrize("unfit", [leave_project, leave_workspace, become_guest, close_account])
def test_only_active_members_can_be_assigned(team: Team, unfit: Any) -> None:
    issue, eve = make_issue(team), team.members["eve"]
    unfit(eve)
    assert_refused(issue, eve)


def test_somebody_who_left_may_stay_assigned(team: Team) -> None:
    bob, eve = team.members["bob"], team.members["eve"]
    issue = make_issue(team, assignees=[eve])
    leave_project(eve)
    update_issue(issue.id, {"assignee_ids": [eve.id, bob.id]}, actor=bob, now=NOW)
    assert [row[3] for row in rows()] == ["bob"]


def test_a_stranger_cannot_be_assigned(team: Team) -> None:
    assert_refused(make_issue(team), make_user("stranger"))
    assert_refused(make_issue(team), make_team("other").members["bob"])


def assert_refused(issue: Issue, user: User) -> None:
    with pytest.raises(RefusedError, match=str(user.id)) as error:
        update_issue(issue.id, {"assignee_ids": [user.id]}, actor=user, now=NOW)
    assert error.value.field == "assignee_ids"
    assert not issue.assignee_links.exists()


def test_labels_of_another_project_and_deleted_ones_are_refused(team: Team) -> None:
    issue = make_issue(team)
    deleted = make_label(team, "gone")
    Label.objects.filter(id=deleted.id).update(deleted_at=NOW)
    other = make_team("other")
    foreign = [make_label(other, "foreign"), Label.objects.create(workspace=other.workspace, name="theirs")]
    for label_id in (deleted.id, uuid4(), *(label.id for label in foreign)):
        with pytest.raises(RefusedError, match=str(label_id)) as error:
            update_issue(issue.id, {"label_ids": [label_id]}, actor=team.members["ann"], now=NOW)
        assert error.value.field == "label_ids"
    assert rows() == []
