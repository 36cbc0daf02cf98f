"""What is done with notifications: once, in one statement, and only to those that are meant."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from project.models import Notification, User
from project.services.notifications.inbox import Inbox, Selection
from project.services.notifications.inbox_marks import (
    archive,
    discard,
    mark_read,
    mark_unread,
    snooze,
    unarchive,
)
from tests.factories import Team, make_issue, make_team
from tests.services.notifications.events import NOW
from tests.services.notifications.inboxes import ago, make_notification, titles

pytestmark = pytest.mark.django_db

LATER = NOW + timedelta(hours=1)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def bob(team: Team) -> User:
    return team.members["bob"]


@pytest.fixture
def inbox(team: Team, bob: User) -> Inbox:
    return Inbox(bob, team.workspace)


@pytest.mark.parametrize(
    ("mark", "back", "column"),
    [(mark_read, mark_unread, "read_at"), (archive, unarchive, "archived_at")],
)
def test_a_mark_keeps_its_first_time_and_can_be_taken_back(
    team: Team, bob: User, inbox: Inbox, mark: Callable[..., Any], back: Callable[..., Any], column: str
) -> None:
    row = make_notification(bob, make_issue(team))
    steps = [(mark, NOW, NOW), (mark, LATER, NOW), (back, LATER, None), (back, LATER, None)]
    for step, now, expected in steps:
        step(inbox.rows(), now=now)
        row.refresh_from_db()
        assert getattr(row, column) == expected


def test_snooze_and_wake(team: Team, bob: User, inbox: Inbox) -> None:
    make_notification(bob, make_issue(team), title="one")
    snooze(inbox.rows(), LATER, now=NOW)
    assert (titles(inbox, snoozed=False), titles(inbox, snoozed=True)) == ([], ["one"])
    assert titles(inbox, snoozed=False, now=LATER) == ["one"]
    snooze(inbox.rows(), None, now=NOW)
    assert titles(inbox, snoozed=False) == ["one"]


def test_what_is_discarded_is_gone_and_counts_as_read(team: Team, bob: User, inbox: Inbox) -> None:
    unread, read = (make_notification(bob, make_issue(team), read_at=at) for at in (None, ago(9)))
    assert discard(inbox.rows(), now=NOW) == 2
    assert (titles(inbox), discard(inbox.rows(), now=LATER)) == ([], 0)
    stamps = dict(Notification.all_objects.values_list("id", "read_at"))
    assert stamps == {unread.id: NOW, read.id: ago(9)}


def test_all_that_is_selected_is_marked_by_one_statement_and_nothing_else(
    team: Team, bob: User, inbox: Inbox
) -> None:
    for _ in range(20):
        make_notification(bob, make_issue(team))
    kept = [
        make_notification(bob, make_issue(team), archived_at=NOW),
        make_notification(team.members["eve"], make_issue(team)),
    ]
    with CaptureQueriesContext(connection) as captured:
        mark_read(inbox.selected(Selection(archived=False), now=NOW), now=NOW)
    assert len(captured) == 1
    assert inbox.unread(now=NOW).total == 0
    assert {row.id for row in Notification.objects.filter(read_at=None)} == {row.id for row in kept}
