"""Who counts as a member, read from the tables."""

from collections.abc import Callable

import pytest

from project.limits import Limits
from project.models import (
    IssueSubscriber,
    Notification,
    ProjectMember,
    Role,
    UserNotificationPreference,
    WorkspaceMember,
)
from project.services.notifications.fan_out import fan_out
from tests.factories import Team, join, make_issue, make_team, make_user
from tests.services.notifications.events import COMMENTED, NOW, make_event

pytestmark = pytest.mark.django_db

Deed = Callable[[Team], object]


def told_of_a_comment(team: Team) -> set[str]:
    """Ann comments on an issue of hers that everybody else follows."""
    ann, *others = team.members.values()
    issue = make_issue(team, subscribers=others)
    fan_out(make_event(issue, ann, COMMENTED).id, 1, now=NOW, limits=Limits())
    return set(Notification.objects.values_list("receiver__display_name", flat=True))


def _account(**fields: bool) -> Deed:
    def change(team: Team) -> None:
        bob = team.members["bob"]
        for name, value in fields.items():
            setattr(bob, name, value)
        bob.save()

    return change


@pytest.mark.parametrize(
    "happened",
    [
        pytest.param(_account(is_active=False), id="account deactivated"),
        pytest.param(_account(is_bot=True), id="bot"),
        pytest.param(
            lambda team: ProjectMember.objects.filter(member=team.members["bob"]).update(is_active=False),
            id="removed from the project",
        ),
        pytest.param(
            lambda team: ProjectMember.objects.filter(member=team.members["bob"]).update(deleted_at=NOW),
            id="project membership deleted",
        ),
        pytest.param(
            lambda team: WorkspaceMember.objects.filter(member=team.members["bob"]).update(is_active=False),
            id="removed from the workspace",
        ),
        pytest.param(
            lambda team: WorkspaceMember.objects.filter(member=team.members["bob"]).delete(),
            id="no workspace membership",
        ),
        pytest.param(
            lambda team: ProjectMember.objects.filter(member=team.members["bob"]).update(role=Role.GUEST),
            id="guest in a closed project",
        ),
    ],
)
def test_only_members_are_told(happened: Deed) -> None:
    team = make_team(names=["ann", "bob", "carl"])
    happened(team)
    assert told_of_a_comment(team) == {"carl"}


def test_a_member_elsewhere_is_no_member_here() -> None:
    team = make_team(names=["ann", "bob"])
    other = make_team("other", names=["eve"])
    issue = make_issue(team, subscribers=[team.members["bob"], other.members["eve"]])
    fan_out(make_event(issue, team.members["ann"], COMMENTED).id, 1, now=NOW, limits=Limits())
    assert Notification.objects.get().receiver == team.members["bob"]


def test_a_guest_of_an_open_project_is_told() -> None:
    team = make_team(names=["ann"], guest_view_all_features=True)
    team.members["gus"] = make_user("gus")
    join(team.workspace, team.project, team.members["gus"], Role.GUEST)
    assert told_of_a_comment(team) == {"gus"}


def test_who_left_is_not_told_and_who_came_back_is() -> None:
    team = make_team(names=["ann", "bob", "carl"])
    ann, bob, carl = team.members.values()
    issue = make_issue(team, created_by=bob, assignees=[bob], subscribers=[bob, carl])
    IssueSubscriber.objects.filter(issue=issue).update(deleted_at=NOW)
    IssueSubscriber.objects.create(
        workspace=team.workspace, project=team.project, issue=issue, subscriber=carl
    )
    fan_out(make_event(issue, ann, COMMENTED).id, 1, now=NOW, limits=Limits())
    assert Notification.objects.get().receiver == carl


def test_preferences_in_any_number_stop_nobody() -> None:
    team = make_team(names=["ann", "bob", "carl"])
    for _ in range(2):
        UserNotificationPreference.objects.create(user=team.members["bob"], comment=False)
    assert told_of_a_comment(team) == {"bob", "carl"}
