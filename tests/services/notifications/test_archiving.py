"""Into the archive and out of it, by people and by rules of the project."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings

from project.models import EmailNotificationLog, Issue, IssueActivity, IssueEvent, Notification
from project.services.notifications.archiving import archive, restore
from project.services.notifications.automation import Automation, close
from project.services.notifications.fan_out import fan_out
from project.services.notifications.issues import update_issue
from project.services.notifications.references import RefusedError
from tests.factories import Team, make_issue, make_team

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 1, 2, tzinfo=UTC)
RUN = UUID(int=7)
RULE = Automation(months=3, idle_since=NOW - timedelta(days=90), run=RUN)


@pytest.fixture
def team() -> Team:
    return make_team()


def idle(team: Team, group: str, **fields: Any) -> Issue:
    """An issue in a state of the group that nobody touched for 91 days."""
    issue = make_issue(team, state=team.states[group], assignees=[team.members["bob"]], **fields)
    Issue.objects.filter(id=issue.id).update(updated_at=NOW - timedelta(days=91))
    return Issue.objects.select_related("state").get(id=issue.id)


def told() -> list[tuple[Any, ...]]:
    rows = IssueActivity.objects.order_by("created_at")
    return list(rows.values_list("field", "comment", "old_value", "new_value"))


def test_there_and_back(team: Team) -> None:
    ann, issue = team.members["ann"], idle(team, "completed")

    assert len(archive(issue.id, by=ann, now=NOW)) == 1
    assert Issue.objects.get().archived_at == NOW.date()
    assert archive(issue.id, by=ann, now=NOW) == []
    assert len(restore(issue.id, actor=ann, now=NOW)) == 1
    assert Issue.objects.get().archived_at is None
    assert restore(issue.id, actor=ann, now=NOW) == []

    assert told() == [
        ("archived_at", "archived the issue", None, "manual_archive"),
        ("archived_at", "restored the issue", "archive", "restore"),
    ]
    assert not IssueActivity.objects.first().automatic  # type: ignore[union-attr]


@pytest.mark.parametrize("group", ["backlog", "unstarted", "started"])
def test_what_is_not_done_with_stays_whoever_archives_it(team: Team, group: str) -> None:
    issue = idle(team, group)
    with pytest.raises(RefusedError, match="Only completed and cancelled issues can be archived: ACME-1"):
        archive(issue.id, by=team.members["ann"], now=NOW)
    assert archive(issue.id, by=RULE, now=NOW) == []
    assert Issue.objects.get().archived_at is None


def test_a_rule_has_no_actor_and_everybody_is_told_why(team: Team) -> None:
    issue = idle(team, "started")

    wakes = close(issue.id, team.states["cancelled"].id, by=RULE, now=NOW)
    for wake in wakes:
        fan_out(wake.row_id, wake.dispatch, now=NOW, limits=settings.LIMITS)

    assert told() == [
        (
            "state",
            "closed the issue automatically after 3 months without activity",
            "Started",
            "Cancelled",
        )
    ]
    event = IssueEvent.objects.get()
    assert (event.actor, event.bulk_id) == (None, RUN)
    rows = [*Notification.objects.all(), *EmailNotificationLog.objects.all()]
    assert sorted(row.receiver.first_name for row in rows) == ["Ann", "Ann", "Bob", "Bob"]
    for row in rows:
        activity = row.data["issue_activity"]
        assert activity["automatic"] == "automatically after 3 months without activity"
        assert activity["bulk_id"] == str(RUN)


def test_closing_into_a_completed_state_completes(team: Team) -> None:
    close(idle(team, "backlog").id, team.states["completed"].id, by=RULE, now=NOW)
    assert Issue.objects.get().completed_at == NOW


def test_a_rule_leaves_alone_what_was_touched_archived_or_is_done_with(team: Team) -> None:
    state_id = team.states["cancelled"].id
    touched, archived = idle(team, "started"), idle(team, "started", archived_at=NOW.date())
    done, touched_done = idle(team, "completed"), idle(team, "completed")
    for issue in (touched, touched_done):
        update_issue(issue.id, {"priority": "high"}, actor=team.members["ann"], now=NOW)
    IssueEvent.objects.all().delete()

    for issue in (touched, archived, done):
        assert close(issue.id, state_id, by=RULE, now=NOW) == []
    assert archive(touched_done.id, by=RULE, now=NOW) == []
    assert not IssueEvent.objects.exists()


def test_one_month_is_one(team: Team) -> None:
    archive(idle(team, "cancelled").id, by=Automation(1, NOW, RUN), now=NOW)
    assert told()[0][1] == "archived the issue automatically after 1 month without activity"


def test_what_a_person_did_is_not_called_automatic_when_the_person_is_gone(team: Team) -> None:
    archive(idle(team, "cancelled").id, by=team.members["bob"], now=NOW)
    IssueActivity.objects.update(actor=None)
    assert IssueActivity.objects.get().automatic == ""
