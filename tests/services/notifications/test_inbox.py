"""What is in an inbox, and what a selection of it means."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from project.models import (
    Issue,
    IssueSubscriber,
    Project,
    ProjectMember,
    Role,
    User,
)
from project.services.notifications.inbox import UNREAD, Inbox, Relation, Selection
from tests.factories import Team, join, make_issue, make_team
from tests.services.notifications.events import NOW
from tests.services.notifications.inboxes import ago, make_many, make_notification, titles

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def bob(team: Team) -> User:
    return team.members["bob"]


@pytest.fixture
def inbox(team: Team, bob: User) -> Inbox:
    return Inbox(bob, team.workspace)


def test_the_newest_is_first_and_the_id_decides_between_equal_times(
    team: Team, bob: User, inbox: Inbox
) -> None:
    issue = make_issue(team)
    make_notification(bob, issue, title="old", created_at=ago(5))
    same = [make_notification(bob, issue) for _ in range(5)]
    rows = list(inbox.selected(Selection(), now=NOW))
    assert [row.id for row in rows[:5]] == sorted((row.id for row in same), reverse=True)
    assert rows[5].title == "old"


def test_others_rows_and_other_workspaces_are_not_in_it(team: Team, bob: User, inbox: Inbox) -> None:
    other = make_team("other")
    join(other.workspace, other.project, bob, Role.MEMBER)
    make_notification(bob, make_issue(team), title="mine")
    make_notification(team.members["eve"], make_issue(team), title="eve's")
    make_notification(bob, make_issue(other), title="elsewhere")
    make_notification(bob, make_issue(team), title="removed", deleted_at=NOW)
    make_notification(bob, make_issue(team), title="of a page", entity_name="page")
    assert titles(inbox) == ["mine"]


@pytest.mark.parametrize(
    "happened",
    [
        lambda bob: ProjectMember.objects.filter(member=bob).update(is_active=False),
        lambda bob: ProjectMember.objects.filter(member=bob).update(deleted_at=NOW),
        lambda _: Project.objects.update(deleted_at=NOW),
    ],
    ids=["left", "removed", "project deleted"],
)
def test_what_a_project_told_goes_with_the_membership(
    team: Team, bob: User, inbox: Inbox, happened: Callable[[User], Any]
) -> None:
    make_notification(bob, make_issue(team))
    assert inbox.unread(now=NOW).total == 1
    happened(bob)
    assert titles(inbox) == []
    assert inbox.unread(now=NOW).total == 0


@pytest.fixture
def sorted_out(team: Team, bob: User) -> None:
    """One notification in each condition."""
    issue = make_issue(team)
    make_notification(bob, issue, title="new")
    make_notification(bob, issue, title="mention", reason="mentioned")
    make_notification(bob, issue, title="read", read_at=ago(1))
    make_notification(bob, issue, title="snoozed", snoozed_till=NOW + timedelta(seconds=1))
    make_notification(bob, issue, title="awake again", snoozed_till=NOW)
    make_notification(bob, issue, title="archived", archived_at=ago(1))


@pytest.mark.usefixtures("sorted_out")
@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"read": True}, {"read"}),
        ({"read": False}, {"new", "mention", "snoozed", "awake again", "archived"}),
        ({"mentioned": True}, {"mention"}),
        ({"mentioned": False}, {"new", "read", "snoozed", "awake again", "archived"}),
        ({"snoozed": True}, {"snoozed"}),
        ({"snoozed": False}, {"new", "mention", "read", "awake again", "archived"}),
        ({"archived": True}, {"archived"}),
        ({"archived": False}, {"new", "mention", "read", "snoozed", "awake again"}),
        ({"read": False, "snoozed": False, "archived": False}, {"new", "mention", "awake again"}),
        ({"issue": uuid4()}, set()),
    ],
)
def test_conditions(inbox: Inbox, chosen: dict[str, Any], expected: set[str]) -> None:
    assert set(titles(inbox, **chosen)) == expected


@pytest.mark.usefixtures("sorted_out")
def test_what_is_counted_as_unread(inbox: Inbox) -> None:
    assert inbox.unread(now=NOW) == (3, 1)
    assert inbox.unread(now=NOW + timedelta(seconds=1)) == (4, 1)


def test_relations(team: Team, bob: User, inbox: Inbox) -> None:
    def about(title: str, **fields: Any) -> Issue:
        issue = make_issue(team, **fields)
        make_notification(bob, issue, title=title)
        return issue

    about("followed", subscribers=[bob])
    about("worked on", assignees=[bob], subscribers=[bob])
    about("own", created_by=bob, subscribers=[bob])
    about("own and deleted", created_by=bob, deleted_at=NOW)
    left = about("left", subscribers=[bob])
    IssueSubscriber.objects.filter(issue=left).update(deleted_at=NOW)

    def related(*relations: Relation) -> set[str]:
        return set(titles(inbox, relations=frozenset(relations)))

    assert related(Relation.SUBSCRIBED) == {"followed"}
    assert related(Relation.ASSIGNED) == {"worked on"}
    assert related(Relation.CREATED) == {"own", "own and deleted"}
    assert related(Relation.ASSIGNED, Relation.SUBSCRIBED) == {"followed", "worked on"}
    assert related() == {"followed", "worked on", "own", "own and deleted", "left"}


def test_a_big_inbox_is_read_by_its_indexes(team: Team, bob: User, inbox: Inbox) -> None:
    make_many(make_issue(team), team.members.values(), 2000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # with no statistics, or a handful of rows, the plan is another
    newest = inbox.selected(Selection(archived=False), now=NOW)[:50]
    assert "notification_inbox" in newest.explain()
    assert "notification_unread" in inbox.selected(UNREAD, now=NOW).order_by().explain()
