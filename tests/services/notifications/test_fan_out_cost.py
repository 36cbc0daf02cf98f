"""The number of queries does not depend on how much there is to tell, and to how many."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from project.limits import Limits
from project.models import EmailNotificationLog, Notification
from project.services.notifications import fan_out as hop
from tests.factories import make_comment, make_issue, make_team
from tests.services.notifications.events import COMMENTED, NOW, make_event

pytestmark = pytest.mark.django_db

#: UPDATE and SELECT of the start; then UPDATE, issue, activities, assignees, subscribers, members, mentions
#: and the INSERTs into three tables.
QUERIES = 12


def queries(*, activities: int, receivers: int, mentioned: int) -> int:
    """Fan out comments, told to followers and mentioned people; count the queries."""
    team = make_team(names=[f"user{n}" for n in range(receivers + 1)])
    actor, *others = team.members.values()
    issue = make_issue(team, created_by=actor, subscribers=others[mentioned:])
    changes = [
        {**COMMENTED, "issue_comment": make_comment(issue, actor, f"<p>{n}</p>")} for n in range(activities)
    ]
    event = make_event(issue, actor, *changes, mentioned=[user.id for user in others[:mentioned]])
    with CaptureQueriesContext(connection) as captured:
        hop.fan_out(event.id, 1, now=NOW, limits=Limits())
    rows = activities * receivers
    assert (Notification.objects.count(), EmailNotificationLog.objects.count()) == (rows, rows)
    return len([query for query in captured if query["sql"].startswith(("SELECT", "UPDATE", "INSERT"))])


@pytest.mark.parametrize(("activities", "receivers", "mentioned"), [(1, 1, 0), (5, 50, 0), (5, 50, 25)])
def test_constant(activities: int, receivers: int, mentioned: int) -> None:
    assert queries(activities=activities, receivers=receivers, mentioned=mentioned) == QUERIES


def test_many_rows_are_written_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hop, "BATCH", 100)
    assert queries(activities=5, receivers=50, mentioned=25) == QUERIES + 2 * 2  # 250 rows a table
