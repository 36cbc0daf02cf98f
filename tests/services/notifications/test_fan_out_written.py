"""What the writer of changes leaves behind is what the fan-out reads."""

from datetime import datetime, timedelta

import pytest

from project.limits import Limits
from project.models import EmailNotificationLog, IssueSubscriber, Notification, User, Wake
from project.services.notifications.comments import create_comment, update_comment
from project.services.notifications.fan_out import fan_out
from project.services.notifications.issues import create_issue, delete_issue, update_issue
from tests.factories import Team, make_team
from tests.services.notifications.events import NOW

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return make_team(names=["ann", "bob", "carl"])


def told(wakes: list[Wake], now: datetime = NOW) -> list[tuple[str, str | None]]:
    """Fan out; return (receiver, field) of the new lines to mail, sorted. The inbox has as many rows."""
    before = set(EmailNotificationLog.objects.values_list("id", flat=True))
    for event_id, dispatch in wakes:
        fan_out(event_id, dispatch, now=now, limits=Limits())
    assert Notification.objects.count() == EmailNotificationLog.objects.count()
    new = EmailNotificationLog.objects.exclude(id__in=before)
    rows = new.values_list("receiver__display_name", "data__issue_activity__field")
    return sorted(rows, key=lambda row: (row[0], row[1] or ""))


def mention(user: User) -> str:
    return f'<p><mention-component entity_identifier="{user.id}" entity_name="user_mention"/></p>'


def test_the_default_assignee_is_told_and_follows(team: Team) -> None:
    ann, bob, _ = team.members.values()
    team.project.default_assignee = bob
    team.project.save()
    issue, wakes = create_issue(team.project, {"name": "Door"}, actor=ann, now=NOW)
    assert told(wakes) == [("bob", None), ("bob", "assignees")]
    followers = IssueSubscriber.objects.filter(issue=issue).values_list("subscriber", flat=True)
    assert set(followers) == {ann.id, bob.id}


def test_the_life_of_an_issue(team: Team) -> None:
    ann, bob, carl = team.members.values()
    values = {"name": "Door", "description_html": mention(bob)}
    issue, wakes = create_issue(team.project, values, actor=ann, now=NOW)
    assert told(wakes) == [("bob", "mention")]

    wakes = update_issue(issue.id, {"assignee_ids": [carl.id]}, actor=bob, now=NOW)
    assert told(wakes) == [("ann", "assignees"), ("carl", "assignees")]

    wakes = update_issue(issue.id, {"assignee_ids": [], "priority": "high"}, actor=bob, now=NOW)
    assert told(wakes) == [(name, field) for name in ("ann", "carl") for field in ("assignees", "priority")]

    comment, wakes = create_comment(issue.id, "<p>Hi</p>", actor=ann, now=NOW)
    assert told(wakes) == [("bob", "comment"), ("carl", "comment")]
    wakes = update_comment(issue.id, comment.id, f"<p>Hi</p>{mention(carl)}", actor=ann, now=NOW)
    assert told(wakes) == [("bob", "comment"), ("carl", "mention")]

    assert told(delete_issue(issue.id, actor=ann, now=NOW)) == [("bob", "issue"), ("carl", "issue")]


def test_one_sitting_on_a_description(team: Team) -> None:
    ann, bob, carl = team.members.values()
    issue, wakes = create_issue(team.project, {"name": "Door"}, actor=ann, now=NOW)
    assert told(wakes) == []

    def describe(html: str, after: int) -> list[tuple[str, str | None]]:
        now = NOW + timedelta(minutes=after)
        return told(update_issue(issue.id, {"description_html": html}, actor=ann, now=now), now)

    assert describe(mention(bob), 1) == [("bob", "mention")]
    assert describe(mention(bob) + mention(carl), 2) == [("carl", "mention")]
    assert describe(mention(bob) + mention(carl) + "<p>.</p>", 3) == []
    assert describe("<p>.</p>", 30) == [("bob", "description"), ("carl", "description")]
