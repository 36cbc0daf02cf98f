"""Orders about events."""

from datetime import timedelta
from uuid import uuid4

import pytest

from project.limits import Limits
from project.models import EventStatus, IssueEvent, Notification, Order, RequeueAudit, Verb, Wake
from project.services.maintenance.requeue_events import idle_events, if_requeued, requeue
from project.services.notifications.fan_out import fan_out
from tests.at_once import at_once
from tests.factories import make_issue, make_team
from tests.services.digests.lines import NOW, make_activity

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)
REQUEUE = Order(Verb.REQUEUE, "olga", "the bug is fixed", LATER)
FAILED = {"status": EventStatus.FAILED, "reason": "gave up after 5 attempts", "attempts": 6}
FANNED_OUT = {"status": EventStatus.FANNED_OUT, "fanned_out_at": NOW}


@pytest.fixture
def target() -> Wake:
    team = make_team()
    issue = make_issue(team, assignees=[team.members["bob"]])
    activity = make_activity(issue, team.members["ann"])
    event = IssueEvent.objects.create(
        workspace=team.workspace,
        project=team.project,
        issue=issue,
        actor=team.members["ann"],
        kind="issue.activity.updated",
        activity_ids=[activity.id],
        occurred_at=NOW,
        enqueued_at=NOW,
    )
    return Wake(event.id, event.dispatch)


def stands(**fields) -> None:
    IssueEvent.objects.update(**fields)


def test_a_failed_event_is_fanned_out_by_its_new_dispatch_only(target):
    stands(**FAILED)

    report = requeue([target], REQUEUE)

    [again] = report.wakes
    assert again == Wake(target.row_id, 2)
    event = IssueEvent.objects.get()
    assert (event.status, event.attempts, event.reason, event.enqueued_at) == ("pending", 0, "", LATER)
    fan_out(*target, now=LATER, limits=Limits())
    assert not Notification.objects.exists()
    fan_out(*again, now=LATER, limits=Limits())
    assert Notification.objects.get().receiver.first_name == "Bob"


def test_the_second_of_two_orders_is_told_so(target):
    stands(**FAILED)
    words = [requeue([target], REQUEUE).outcomes[str(target.row_id)].word for _ in range(2)]
    assert words == ["re-queued", "already re-queued"]
    assert IssueEvent.objects.get().dispatch == 2


@pytest.mark.django_db(transaction=True)
def test_operators_at_once_requeue_it_once(target):
    stands(**FAILED)
    reports = at_once(IssueEvent.objects.all(), *[lambda: requeue([target], REQUEUE)] * 2)
    words = [outcome.word for report in reports for outcome in report.outcomes.values()]
    assert sorted(words) == ["already re-queued", "re-queued"]
    assert [wake for report in reports for wake in report.wakes] == [Wake(target.row_id, 2)]


@pytest.mark.parametrize(
    ("fields", "word", "detail"),
    [
        ({}, "under way", "on the queue since 2026-03-10 12:00:00 UTC"),
        (FANNED_OUT, "already fanned out", "at 2026-03-10 12:00:00 UTC"),
        (FAILED, "will run", "gave up after 5 attempts"),
    ],
)
def test_the_preview_tells_what_would_come_of_it(target, fields, word, detail):
    stands(**fields)
    [prospect] = if_requeued([target]).values()
    assert (prospect.word, prospect.detail) == (word, detail)
    assert prospect.acts == (word == "will run")


def test_what_is_not_there_is_reported_and_the_rest_is_done(target):
    stands(**FAILED)
    unknown = Wake(uuid4(), 1)

    report = requeue([unknown, target], REQUEUE)

    assert report.outcomes[str(unknown.row_id)].word == "no such event"
    audit = RequeueAudit.objects.get()
    assert (audit.target, audit.counts) == ("events", {"no such event": 1, "re-queued": 1})
    assert audit.rows[str(target.row_id)] == "re-queued: gave up after 5 attempts"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, None),
        ({"dispatch": 3}, "the event has a later dispatch (3)"),
        (FANNED_OUT, "the event is fanned out already, at 2026-03-10 12:00:00 UTC"),
        (FAILED, "the event failed: gave up after 5 attempts; `events requeue {id}` tries it again"),
    ],
)
def test_a_wake_up_that_would_do_nothing_is_told_so(target, fields, why):
    stands(**fields)
    assert idle_events([target]).get(target) == (why and why.format(id=target.row_id))


def test_a_wake_up_of_a_removed_event_is_told_so():
    gone = Wake(uuid4(), 1)
    assert idle_events([gone]) == {gone: "the event is gone"}
