"""What comments write."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from project.models import Issue, IssueActivity, IssueComment, IssueEvent, User
from project.services.notifications.comments import create_comment, delete_comment, update_comment
from tests.factories import Team, make_issue, make_team

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)
COLUMNS = ("verb", "field", "comment", "old_value", "new_value", "new_identifier", "issue_comment")


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def issue(team: Team) -> Issue:
    return make_issue(team)


def rows() -> list[tuple[Any, ...]]:
    return list(IssueActivity.objects.order_by("created_at").values_list(*COLUMNS))


def events() -> list[tuple[str, list[Any]]]:
    return list(IssueEvent.objects.order_by("occurred_at").values_list("kind", "mentioned_ids"))


def mention(user: User) -> str:
    return f'<mention-component entity_identifier="{user.id}" entity_name="user_mention"></mention-component>'


def test_the_life_of_a_comment(team: Team, issue: Issue) -> None:
    bob = team.members["bob"]
    comment, _ = create_comment(issue.id, "<p>One</p>", actor=bob, now=NOW)
    update_comment(issue.id, comment.id, "<p>Two</p>", actor=team.members["ann"], now=LATER)
    delete_comment(issue.id, comment.id, actor=bob, now=LATER)

    assert rows() == [
        ("created", "comment", "created a comment", None, "<p>One</p>", comment.id, comment.id),
        ("updated", "comment", "updated a comment", "<p>One</p>", "<p>Two</p>", comment.id, comment.id),
        ("deleted", "comment", "deleted the comment", None, None, comment.id, comment.id),
    ]
    assert [kind for kind, _ in events()] == [
        "comment.activity.created",
        "comment.activity.updated",
        "comment.activity.deleted",
    ]
    comment = IssueComment.all_objects.get()
    assert (comment.actor, comment.comment_html, comment.comment_stripped) == (bob, "<p>Two</p>", "Two")
    assert (comment.created_at, comment.edited_at, comment.deleted_at) == (NOW, LATER, LATER)
    assert Issue.objects.get().updated_at == LATER


def test_the_same_text_again_leaves_no_trace(team: Team, issue: Issue) -> None:
    bob = team.members["bob"]
    comment, _ = create_comment(issue.id, "<p>One</p>", actor=bob, now=NOW)
    assert update_comment(issue.id, comment.id, "<p>One</p>", actor=bob, now=LATER) == []
    assert IssueComment.objects.get().edited_at is None
    assert len(rows()) == len(events()) == 1


def test_each_is_mentioned_by_the_event_that_brought_the_mention(team: Team, issue: Issue) -> None:
    bob, carl, eve = (team.members[name] for name in ("bob", "carl", "eve"))
    comment, _ = create_comment(issue.id, mention(carl), actor=bob, now=NOW)
    for html in (mention(carl) + mention(eve), mention(eve), mention(eve) + mention(carl)):
        update_comment(issue.id, comment.id, html, actor=bob, now=LATER)
    assert [mentioned for _, mentioned in events()] == [[carl.id], [eve.id], [], [carl.id]]


def test_what_is_deleted_or_elsewhere_is_not_found(team: Team, issue: Issue) -> None:
    bob = team.members["bob"]
    comment, _ = create_comment(issue.id, "<p>One</p>", actor=bob, now=NOW)
    with pytest.raises(IssueComment.DoesNotExist):
        delete_comment(make_issue(team).id, comment.id, actor=bob, now=NOW)
    delete_comment(issue.id, comment.id, actor=bob, now=NOW)
    with pytest.raises(IssueComment.DoesNotExist):
        delete_comment(issue.id, comment.id, actor=bob, now=NOW)
    with pytest.raises(IssueComment.DoesNotExist):
        update_comment(issue.id, comment.id, "<p>Two</p>", actor=bob, now=NOW)
    Issue.objects.filter(id=issue.id).update(deleted_at=NOW)
    with pytest.raises(Issue.DoesNotExist):
        create_comment(issue.id, "<p>Three</p>", actor=bob, now=NOW)
    assert len(rows()) == len(events()) == 2
