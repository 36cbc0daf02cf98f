"""The order of activities, the outbox row, and what a transaction that fails leaves behind."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from project.models import EventStatus, Issue, IssueActivity, IssueEvent, User, Wake
from project.services.notifications.comments import create_comment
from project.services.notifications.issues import create_issue, delete_issue, update_issue
from project.services.notifications.references import RefusedError
from project.services.notifications.values import IssueValues
from tests.factories import Team, make_issue, make_team

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def times() -> list[datetime]:
    return [a.created_at for a in IssueActivity.objects.order_by("created_at")]


def test_the_event_names_its_activities_in_order() -> None:
    team = make_team()
    issue = make_issue(team)
    values: IssueValues = {"target_date": NOW.date(), "name": "New", "priority": "high"}

    [wake] = update_issue(issue.id, values, actor=team.members["bob"], now=NOW)

    event = IssueEvent.objects.get()
    activities = [IssueActivity.objects.get(id=id_) for id_ in event.activity_ids]
    assert wake == Wake(event.id, 1)
    assert [a.field for a in activities] == ["name", "priority", "target_date"]
    assert [a.created_at - NOW for a in activities] == [timedelta(microseconds=n) for n in range(3)]
    assert {a.actor for a in activities} == {team.members["bob"]}
    assert {(a.issue, a.project, a.workspace) for a in activities} == {(issue, team.project, team.workspace)}
    assert (event.kind, event.status, event.actor) == (
        "issue.activity.updated",
        EventStatus.PENDING,
        team.members["bob"],
    )
    assert (event.issue, event.project, event.workspace) == (issue, team.project, team.workspace)
    assert (event.occurred_at, event.enqueued_at, event.mentioned_ids) == (NOW, NOW, [])


def test_time_never_runs_backwards_within_an_issue() -> None:
    team = make_team()
    issue = make_issue(team)
    ann = team.members["ann"]
    update_issue(issue.id, {"name": "One", "priority": "low"}, actor=ann, now=NOW)
    update_issue(issue.id, {"name": "Two"}, actor=ann, now=NOW)
    create_comment(issue.id, "<p>Slow clock</p>", actor=ann, now=NOW - timedelta(minutes=5))

    assert [at - NOW for at in times()] == [timedelta(microseconds=n) for n in range(4)]
    events = IssueEvent.objects.order_by("occurred_at")
    assert [event.kind.partition(".")[0] for event in events] == ["issue", "issue", "comment"]


@pytest.mark.django_db(transaction=True)
def test_concurrent_changes_make_one_chain() -> None:
    team = make_team()
    issue = make_issue(team, name="start")
    people = list(team.members.values())
    together = Barrier(len(people))

    def rename(user: User) -> None:
        together.wait(timeout=20)
        try:
            for turn in range(5):
                update_issue(issue.id, {"name": f"{user.display_name} {turn}"}, actor=user, now=NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        list(pool.map(rename, people, timeout=60))

    chain = list(IssueActivity.objects.order_by("created_at").values_list("old_value", "new_value"))
    assert len(chain) == 5 * len(people)
    assert [old for old, _ in chain] == ["start", *(new for _, new in chain[:-1])]
    assert chain[-1][1] == Issue.objects.get().name
    assert len(set(times())) == len(chain)
    assert IssueEvent.objects.count() == len(chain)


@pytest.mark.django_db(transaction=True)
def test_concurrent_creations_take_consecutive_numbers() -> None:
    team = make_team()
    people = list(team.members.values())
    together = Barrier(len(people))

    def create(user: User) -> None:
        together.wait(timeout=20)
        try:
            for _ in range(4):
                create_issue(team.project, {"name": "New"}, actor=user, now=NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(people)) as pool:
        list(pool.map(create, people, timeout=60))

    numbers = sorted(Issue.objects.values_list("sequence_id", flat=True))
    assert numbers == list(range(1, 4 * len(people) + 1))


@pytest.mark.django_db(transaction=True)
def test_two_issues_that_would_be_each_others_parent_do_not_deadlock() -> None:
    team = make_team()
    pair = make_issue(team), make_issue(team)
    together = Barrier(2)

    def moves(child: Issue, parent: Issue) -> int:
        """Move the child below the parent and away again, ten times; say how often that was taken."""
        together.wait(timeout=20)
        taken = 0
        try:
            for _ in range(10):
                with suppress(RefusedError):  # the parent is below the child just now
                    update_issue(child.id, {"parent_id": parent.id}, actor=team.members["ann"], now=NOW)
                    update_issue(child.id, {"parent_id": None}, actor=team.members["ann"], now=NOW)
                    taken += 1
        finally:
            connection.close()
        return taken

    with ThreadPoolExecutor(2) as pool:
        taken = sum(pool.map(moves, pair, reversed(pair), timeout=60))

    assert taken > 0
    assert IssueEvent.objects.count() == 4 * taken  # each move is told to the parent as well


def refuse_events() -> Any:
    """Let the database refuse the last row of every change, as a full disk or a broken host would."""
    return connection.execute_wrapper(_refuse)


def _refuse(execute: Any, sql: str, *rest: Any) -> Any:
    if sql.startswith('INSERT INTO "issue_events"'):
        raise DatabaseError("refused")
    return execute(sql, *rest)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.mark.django_db(transaction=True)
def test_a_change_that_is_rolled_back_leaves_nothing(team: Team) -> None:
    issue, ann = make_issue(team), team.members["ann"]
    values: IssueValues = {"name": "Other", "assignee_ids": [team.members["bob"].id]}

    with refuse_events(), pytest.raises(DatabaseError):
        update_issue(issue.id, values, actor=ann, now=NOW)
    with refuse_events(), pytest.raises(DatabaseError):
        create_comment(issue.id, "<p>Hello</p>", actor=ann, now=NOW)
    with refuse_events(), pytest.raises(DatabaseError):
        create_issue(team.project, {"name": "Another"}, actor=ann, now=NOW)
    with refuse_events(), pytest.raises(DatabaseError):
        delete_issue(issue.id, actor=ann, now=NOW)

    assert [i.name for i in Issue.objects.all()] == [issue.name]
    assert not issue.assignee_links.exists()
    assert not issue.comments.exists()
    assert not IssueActivity.objects.exists()
    assert not IssueEvent.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_outer_transaction_is_refused_since_it_could_still_roll_back(team: Team) -> None:
    issue = make_issue(team)
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        update_issue(issue.id, {"name": "Other"}, actor=team.members["ann"], now=NOW)
