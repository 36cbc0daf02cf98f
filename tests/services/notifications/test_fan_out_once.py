"""A fan-out takes effect exactly once: whatever crashes, is repeated or runs twice at a time."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError, connection

from project.limits import Limits
from project.models import (
    EmailNotificationLog,
    EventStatus,
    Issue,
    IssueEvent,
    IssueSubscriber,
    Notification,
)
from project.services.notifications import fan_out as hop
from project.services.notifications import rows
from project.services.notifications.fan_out import fan_out
from tests.factories import make_issue, make_team
from tests.services.notifications.events import COMMENTED, NOW, RENAMED, make_event

LIMITS = Limits(event_attempts=3)
TABLES = (Notification, EmailNotificationLog, IssueSubscriber)


def run(event: IssueEvent, **given: Any) -> None:
    fan_out(event.id, **{"dispatch": 1, "now": NOW, "limits": LIMITS, **given})


def counts() -> list[int]:
    return [table.all_objects.count() for table in TABLES]


def fail(*_: Any, **__: Any) -> Any:
    raise ValueError("no such thing\nDETAIL: of ann@example.org")


@pytest.fixture
def issue() -> Issue:
    """An issue of Ann's with two followers, so each activity makes two rows a table."""
    team = make_team(names=["ann", "bob", "carl"])
    ann, bob, carl = team.members.values()
    return make_issue(team, created_by=ann, subscribers=[bob, carl])


@pytest.fixture
def event(issue: Issue) -> IssueEvent:
    """Two rows in each of the tables; the third follower is Ann, by acting."""
    return make_event(issue, issue.created_by, COMMENTED)


DONE = [2, 2, 3]
NOTHING = [0, 0, 2]


@pytest.mark.django_db
def test_a_repeat_changes_nothing(event: IssueEvent) -> None:
    for _ in range(3):
        run(event, now=NOW + timedelta(minutes=1))
    assert counts() == DONE
    event.refresh_from_db()
    assert event.attempts == 1


@pytest.mark.django_db
def test_the_names_alone_keep_a_repeat_out(event: IssueEvent) -> None:
    run(event)
    before = list(Notification.objects.values().order_by("id"))
    IssueEvent.objects.update(status=EventStatus.PENDING, fanned_out_at=None)
    run(event, now=NOW + timedelta(minutes=1))
    assert counts() == DONE
    assert list(Notification.objects.values().order_by("id")) == before


@pytest.mark.django_db
def test_a_stale_dispatch_changes_nothing(event: IssueEvent) -> None:
    IssueEvent.objects.update(dispatch=2)
    run(event)
    event.refresh_from_db()
    assert (counts(), event.status, event.attempts) == (NOTHING, EventStatus.PENDING, 0)
    run(event, dispatch=2)
    assert counts() == DONE


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("point", ["audience", "_log_rows", "joining"])
def test_a_crash_leaves_nothing_and_the_next_run_everything(
    event: IssueEvent, point: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(hop, point, fail)
        with pytest.raises(ValueError, match="no such thing"):
            run(event)
    event.refresh_from_db()
    assert (counts(), event.status) == (NOTHING, EventStatus.PENDING)
    assert event.reason == "ValueError: no such thing"
    run(event)
    event.refresh_from_db()
    assert (counts(), event.status, event.reason) == (DONE, EventStatus.FANNED_OUT, "")


@pytest.mark.django_db(transaction=True)
def test_a_lost_connection_leaves_nothing_and_the_next_run_everything(
    event: IssueEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(*_: Any, **__: Any) -> Any:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with monkeypatch.context() as patch:
        patch.setattr(hop, "joining", lose)
        with pytest.raises(OperationalError):
            run(event)
    event.refresh_from_db()
    assert (counts(), event.status) == (NOTHING, EventStatus.PENDING)
    assert event.reason.startswith("OperationalError: ")
    run(event)
    assert counts() == DONE


@pytest.mark.django_db
def test_a_poison_event_is_given_up_and_costs_only_itself(
    event: IssueEvent, issue: Issue, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(hop, "audience", fail)
        for _ in range(LIMITS.event_attempts):
            with pytest.raises(ValueError, match="no such thing"):
                run(event)
    run(event)
    event.refresh_from_db()
    assert (counts(), event.status) == (NOTHING, EventStatus.FAILED)
    assert event.reason == "gave up after 3 attempts; last error: ValueError: no such thing"
    run(make_event(issue, issue.created_by, RENAMED))
    assert counts() == DONE


@pytest.mark.django_db
def test_an_event_that_kills_its_workers_is_given_up(event: IssueEvent) -> None:
    IssueEvent.objects.update(attempts=LIMITS.event_attempts)
    run(event)
    event.refresh_from_db()
    assert (counts(), event.status) == (NOTHING, EventStatus.FAILED)
    assert event.reason.endswith("the worker was killed or timed out")


@pytest.mark.django_db
def test_the_error_text_is_bounded(event: IssueEvent, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_at_length(*_: Any) -> Any:
        raise ValueError("x" * 10_000)

    monkeypatch.setattr(hop, "audience", fail_at_length)
    with pytest.raises(ValueError, match="xxx"):
        run(event)
    event.refresh_from_db()
    assert len(event.reason) == 500


def at_once(*jobs: Callable[[], None]) -> None:
    """Run `jobs` in threads of their own, each with its own connection; raise what one of them raises."""

    def job(work: Callable[[], None]) -> None:
        try:
            work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(job, work) for work in jobs]:
            done.result(timeout=30)


@pytest.fixture
def meeting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two fan-outs wait for each other where both have started and neither has claimed its event."""
    both, advance = threading.Barrier(2), hop.advance

    def meet(*args: Any, **given: Any) -> int:
        both.wait(timeout=20)
        return advance(*args, **given)

    monkeypatch.setattr(hop, "advance", meet)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("meeting")
def test_two_workers_at_once_make_one_effect(event: IssueEvent) -> None:
    at_once(lambda: run(event), lambda: run(event))
    event.refresh_from_db()
    assert (counts(), event.attempts, event.status) == (DONE, 2, EventStatus.FANNED_OUT)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("meeting")
def test_the_claim_alone_keeps_a_second_worker_out(
    event: IssueEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("notification_id", "log_id"):
        monkeypatch.setattr(rows, name, lambda *_: uuid4())
    at_once(lambda: run(event), lambda: run(event))
    assert counts() == DONE


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("meeting")
def test_two_events_of_one_issue_at_once_share_the_new_followers(event: IssueEvent, issue: Issue) -> None:
    other = make_event(issue, issue.created_by, RENAMED)
    at_once(lambda: run(event), lambda: run(other))
    assert counts() == [4, 4, 3]
