"""Descriptions: one activity a sitting, and rows for those mentioned."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from project.models import Issue, IssueActivity, IssueEvent, IssueMention, User
from project.services.notifications.issues import create_issue, update_issue
from tests.factories import Team, make_issue, make_team, make_user

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def team() -> Team:
    return make_team()


def mention(*people: User) -> str:
    return "".join(
        f'<mention-component entity_identifier="{user.id}" entity_name="user_mention"></mention-component>'
        for user in people
    )


def describe(issue: Issue, html: str, actor: User, *, minutes: float = 0) -> IssueEvent:
    now = NOW + timedelta(minutes=minutes)
    [wake] = update_issue(issue.id, {"description_html": html}, actor=actor, now=now)
    return IssueEvent.objects.get(id=wake.row_id)


def edits() -> list[tuple[Any, ...]]:
    rows = IssueActivity.objects.order_by("created_at")
    return list(rows.values_list("field", "verb", "comment", "old_value", "new_value"))


def test_an_edit(team: Team) -> None:
    issue = make_issue(team)
    describe(issue, "<p>It <i>sticks</i></p>", team.members["bob"])
    issue.refresh_from_db()
    assert (issue.description_html, issue.description_stripped) == ("<p>It <i>sticks</i></p>", "It sticks")
    assert edits() == [
        ("description", "updated", "updated the description to", "<p></p>", "<p>It <i>sticks</i></p>")
    ]


def test_a_sitting_is_one_activity(team: Team) -> None:
    issue, bob = make_issue(team), team.members["bob"]
    first = describe(issue, "<p>a</p>", bob)
    second = describe(issue, "<p>ab</p>", bob, minutes=9)
    third = describe(issue, "<p>abc</p>", bob, minutes=10)
    fourth = describe(issue, "<p>abcd</p>", bob, minutes=10.1)

    assert [row[3:] for row in edits()] == [("<p></p>", "<p>abc</p>"), ("<p>abc</p>", "<p>abcd</p>")]
    assert first.activity_ids == second.activity_ids == third.activity_ids != fourth.activity_ids


def test_another_hand_or_another_change_between_ends_the_sitting(team: Team) -> None:
    issue, bob, eve = make_issue(team), team.members["bob"], team.members["eve"]
    describe(issue, "<p>a</p>", bob)
    describe(issue, "<p>b</p>", eve)
    update_issue(issue.id, {"priority": "low"}, actor=eve, now=NOW)
    describe(issue, "<p>c</p>", eve)
    assert [row[0] for row in edits()] == ["description", "description", "priority", "description"]


def test_the_event_names_those_newly_mentioned(team: Team) -> None:
    ann, bob, eve = (team.members[name] for name in ("ann", "bob", "eve"))
    stranger = make_user("stranger")
    issue, [wake] = create_issue(
        team.project, {"name": "New", "description_html": mention(bob)}, actor=ann, now=NOW
    )
    assert IssueEvent.objects.get(id=wake.row_id).mentioned_ids == [bob.id]
    assert describe(issue, mention(eve, stranger, bob, eve), ann).mentioned_ids == [eve.id, stranger.id]
    assert describe(issue, mention(eve), ann).mentioned_ids == []
    assert describe(issue, mention(bob), ann).mentioned_ids == [bob.id]


def test_mention_rows_follow_the_description(team: Team) -> None:
    ann, bob, eve = (team.members[name] for name in ("ann", "bob", "eve"))
    stranger = make_user("stranger")
    issue, _ = create_issue(
        team.project, {"name": "New", "description_html": mention(bob)}, actor=ann, now=NOW
    )
    assert mentioned(issue) == {bob}
    describe(issue, mention(eve, stranger, bob), ann)
    assert mentioned(issue) == {bob, eve}
    describe(issue, mention(eve), ann)
    assert mentioned(issue) == {eve}
    describe(issue, mention(bob), ann)
    assert mentioned(issue) == {bob}


def test_a_body_without_description_leaves_the_mention_rows_alone(team: Team) -> None:
    ann, bob = team.members["ann"], team.members["bob"]
    issue, _ = create_issue(
        team.project, {"name": "New", "description_html": mention(bob)}, actor=ann, now=NOW
    )
    update_issue(issue.id, {"state_id": team.states["completed"].id}, actor=ann, now=NOW)
    assert mentioned(issue) == {bob}


def mentioned(issue: Issue) -> set[User]:
    return {row.mention for row in IssueMention.objects.filter(issue=issue)}
