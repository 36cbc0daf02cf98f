"""Following and leaving; a soft-deleted row without a live one says that somebody left."""

from datetime import UTC, datetime

import pytest

from project.models import Issue, IssueSubscriber
from project.services.notifications.subscribers import is_subscribed, leave, subscribe
from tests.factories import Team, make_issue, make_team

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def issue(team: Team) -> Issue:
    return make_issue(team)


def live_and_left() -> tuple[int, int]:
    rows = IssueSubscriber.all_objects.values_list("deleted_at", flat=True)
    return sum(at is None for at in rows), sum(at is not None for at in rows)


def test_following_and_leaving(team: Team, issue: Issue) -> None:
    eve = team.members["eve"]
    assert subscribe(issue.id, eve, now=NOW)
    assert not subscribe(issue.id, eve, now=NOW)
    assert is_subscribed(issue.id, eve)
    assert not is_subscribed(issue.id, team.members["bob"])
    leave(issue.id, eve, now=NOW)
    assert not is_subscribed(issue.id, eve)
    assert live_and_left() == (0, 1)
    assert subscribe(issue.id, eve, now=NOW)
    assert live_and_left() == (1, 1)


def test_leaving_is_noted_once_even_by_who_never_followed(team: Team, issue: Issue) -> None:
    for _ in range(2):
        leave(issue.id, team.members["eve"], now=NOW)
        assert live_and_left() == (0, 1)


def test_nobody_follows_or_leaves_an_issue_that_is_gone(team: Team, issue: Issue) -> None:
    Issue.objects.filter(id=issue.id).update(deleted_at=NOW)
    with pytest.raises(Issue.DoesNotExist):
        subscribe(issue.id, team.members["eve"], now=NOW)
    with pytest.raises(Issue.DoesNotExist):
        leave(issue.id, team.members["eve"], now=NOW)
