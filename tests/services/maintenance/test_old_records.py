"""Each table has its own limit, and what is younger or still needed stays."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session

from project.limits import Limits
from project.models import (
    EventStatus,
    Issue,
    MailFailure,
    MailProviderEvent,
    Notification,
    Order,
    RequeueAudit,
    RunStatus,
    ScheduleRun,
    User,
    Verb,
    Workspace,
)
from project.services.maintenance.old_records import remove_old_records, remove_spent
from project.services.maintenance.purge import Purge
from tests.factories import make_issue, make_team
from tests.services.maintenance.world import NOW, make_event

pytestmark = pytest.mark.django_db(transaction=True)
LIMITS = Limits()
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


def purged(now: datetime) -> str:
    purge = Purge(limits=LIMITS, clock=lambda: now)
    remove_old_records(purge)
    remove_spent(purge)
    return str(purge)


def notification(**fields: Any) -> None:
    place = {"workspace": Workspace.objects.get(), "receiver": User.objects.first()}
    Notification.objects.create(**place, title="", sender="", entity_name="issue", created_at=NOW, **fields)


def event(**fields: Any) -> None:
    make_event(Issue.objects.get(), **{"fanned_out_at": NOW, **fields})


def run(tick: datetime, actor: str = "job") -> None:
    ScheduleRun.objects.create(actor=actor, tick=tick, started_at=tick, ended_at=tick, status=RunStatus.DONE)


def two_runs() -> None:
    for tick in (NOW, NOW + SECOND):
        run(tick)


def order() -> None:
    RequeueAudit.begin(Order(Verb.REQUEUE, "olga", "why", NOW), RequeueAudit.Target.EVENTS, [])


def failure() -> None:
    MailFailure.objects.create(sender="x", kind="y", at=NOW)


def provider_event(**fields: Any) -> None:
    told = {"provider": "mailgun", "kind": "bounced", "raw": "{}", "created_at": NOW}
    given = {"processed_at": NOW, "outcome": "noted", **fields}
    MailProviderEvent.objects.create(id=uuid4(), **told, **given)


def session() -> None:
    Session.objects.create(session_key="key", session_data="", expire_date=NOW)


@pytest.mark.parametrize(
    ("make", "table", "kept"),
    [
        (lambda: notification(read_at=NOW), "notifications", LIMITS.notifications_kept),
        (lambda: notification(archived_at=NOW, deleted_at=NOW), "notifications", LIMITS.notifications_kept),
        (notification, "notifications", LIMITS.unread_kept),
        (event, "issue_events", LIMITS.events_kept),
        (two_runs, "schedule_runs", LIMITS.runs_kept),
        (order, "requeue_audit", LIMITS.orders_kept),
        (provider_event, "mail_provider_events", LIMITS.provider_events_kept),
        (failure, "mail_failures", LIMITS.mail_failures_kept),
        (session, "django_session", 0 * DAY),
    ],
)
def test_a_row_goes_when_its_time_is_over_and_not_before(
    make: Callable[[], None], table: str, kept: timedelta
):
    make_issue(make_team())
    make()
    assert purged(NOW + kept - SECOND) == "nothing to delete"
    assert purged(NOW + kept) == f"deleted {table} 1"
    assert purged(NOW + kept + SECOND) == "nothing to delete"


@pytest.mark.parametrize(
    "make",
    [
        lambda: notification(read_at=NOW, snoozed_till=NOW + 3000 * DAY),
        lambda: event(status=EventStatus.PENDING, fanned_out_at=None),
        lambda: event(status=EventStatus.FAILED, fanned_out_at=None, reason="gave up"),
        lambda: provider_event(processed_at=None, outcome=""),
        lambda: (run(NOW), run(NOW, "other")),  # what was missed since is asked of the newest
    ],
)
def test_what_is_still_needed_stays_for_any_time(make: Callable[[], None]):
    make_issue(make_team())
    make()
    assert purged(NOW + 2000 * DAY) == "nothing to delete"
