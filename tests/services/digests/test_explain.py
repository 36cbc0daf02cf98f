"""The whole way from an event to a mail, told from the rows that the real steps leave behind."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from project.models import (
    DigestStatus,
    EmailDigest,
    EmailNotificationLog,
    EventStatus,
    Issue,
    IssueEvent,
    NotFoundError,
    Notification,
    Order,
    Step,
    Story,
    Verb,
    Wake,
)
from project.services.digests.claim import claim
from project.services.digests.explain import (
    explain_digest,
    explain_event,
    explain_log,
    explain_notification,
    explain_person,
)
from project.services.digests.requeue import requeue
from project.services.maintenance import requeue_events
from project.services.notifications.fan_out import fan_out
from tests.services.digests.sending import LIMITS
from tests.services.digests.sending import send as deliver
from tests.services.digests.told import LATER, bob_is_to_be_mailed, bob_is_told, followed, only
from tests.services.notifications.events import COMMENTED, DESCRIBED, NOW, RENAMED, assigned, make_event

pytestmark = pytest.mark.django_db


@pytest.fixture
def issue(team) -> Issue:
    return followed(team)


@pytest.fixture
def event(issue) -> IssueEvent:
    return bob_is_told(issue)


@pytest.fixture
def digest(issue) -> EmailDigest:
    return bob_is_to_be_mailed(issue)


def names(story: Story) -> list[str]:
    return [step.name for step in story.steps]


def test_a_mail_that_was_sent_is_told_from_the_event_to_the_answer(team, issue, digest, outbox, smtp_sink):
    deliver(outbox, [Wake(digest.id, 1)])
    story = only(explain_person(team.members["bob"], issue, now=NOW, limits=LIMITS))

    assert story.title == "ACME-1 for bob: issue updated"
    assert names(story) == [
        "event",
        "fan-out",
        "change",
        "inbox",
        "line",
        "digest",
        "mail",
        "attempt",
        "final dot",
        "sent",
    ]
    steps = {step.name: step for step in story.steps}
    assert (steps["event"].when, steps["event"].what) == (
        NOW,
        f"issue updated by ann ({IssueEvent.objects.get().id})",
    )
    assert steps["change"].what == "name: Door → Gate by ann"
    assert steps["inbox"].because == "they follow the issue"
    assert steps["line"].because == "gathered into a mail at 2026-03-02 09:10:00 UTC"
    assert steps["mail"].what == "“[ACME-1] Fix the door” to bob@acme.example, generation 1"
    assert steps["sent"].because == "replied 250"


def test_the_same_way_is_told_by_log_row_notification_and_digest(digest):
    by_log = explain_log(EmailNotificationLog.objects.get().id, now=NOW, limits=LIMITS)
    by_notification = explain_notification(Notification.objects.get().id, now=NOW, limits=LIMITS)
    by_digest = only(explain_digest(digest.id, now=NOW, limits=LIMITS))
    assert by_log == by_notification
    assert only(by_log).steps[2:] == by_digest.steps
    assert by_digest.title == "ACME-1 for bob: a mail"


def test_a_line_that_waits_says_until_when_and_why(team, issue, event):
    [line] = [
        s
        for s in only(explain_person(team.members["bob"], issue, now=NOW, limits=LIMITS)).steps
        if s.name == "line"
    ]
    assert line.when == NOW + LIMITS.window_idle
    assert line.because == "then nothing was added for 0:02:00"


def test_a_line_that_others_join_waits_no_longer_than_the_oldest_may(team, issue, event):
    fan_out(
        make_event(issue, team.members["ann"], COMMENTED).id,
        1,
        now=NOW + timedelta(seconds=270),
        limits=LIMITS,
    )
    log = EmailNotificationLog.objects.order_by("created_at")[0]
    [line] = [step for step in only(explain_log(log.id, now=NOW, limits=LIMITS)).steps if step.name == "line"]
    assert (line.when, line.because) == (NOW + LIMITS.window_cap, "then the oldest line is 0:05:00 old")


def test_a_mention_pulls_the_mail_forward(team, issue, event):
    bob = team.members["bob"]
    mention = make_event(issue, team.members["ann"], DESCRIBED, mentioned=[bob.id])
    IssueEvent.objects.filter(id=mention.id).update(occurred_at=LATER)
    fan_out(mention.id, 1, now=NOW + timedelta(seconds=10), limits=LIMITS)
    *_, story = explain_person(bob, issue, now=NOW, limits=LIMITS)
    steps = {step.name: step for step in story.steps}
    assert steps["inbox"].because == "they are mentioned in it"
    assert (steps["line"].when, steps["line"].because) == (
        NOW + timedelta(seconds=40),
        "then a mention is 0:00:30 old",
    )


def test_what_was_read_is_told_so(team, issue, event):
    Notification.objects.update(read_at=LATER)
    story = only(explain_person(team.members["bob"], issue, now=NOW, limits=LIMITS))
    assert Step("read", LATER, "read in the inbox") in story.steps


def test_a_removed_line_is_told_so(event):
    EmailNotificationLog.objects.update(deleted_at=LATER)
    log = EmailNotificationLog.all_objects.get()
    assert only(explain_log(log.id, now=NOW, limits=LIMITS)).steps[-1].because == "the line was deleted"


def test_a_notification_without_a_line(team, issue, event):
    EmailNotificationLog.objects.all().delete()
    story = only(explain_person(team.members["bob"], issue, now=NOW, limits=LIMITS))
    assert story.steps[-1] == Step("line", None, "there is no line to mail", "it is not on record (any more)")


def test_orders_are_told_where_they_belong(team, issue, digest):
    EmailDigest.objects.update(status=DigestStatus.FAILED, reason="receiver: rcpt 550", ended_at=LATER)
    requeue([Wake(digest.id, 1)], Order(Verb.REQUEUE, "olga", "mailbox is back", LATER))
    IssueEvent.objects.update(status=EventStatus.FAILED, reason="gave up", fanned_out_at=None)
    again = Order(Verb.REQUEUE, "otto", "bug is fixed", LATER)
    requeue_events.requeue([Wake(IssueEvent.objects.get().id, 1)], again)

    story = only(explain_person(team.members["bob"], issue, now=NOW, limits=LIMITS))

    orders = [step for step in story.steps if step.name == "order"]
    assert [order.because for order in orders] == [
        "ordered by otto: bug is fixed",
        "ordered by olga: mailbox is back",
    ]
    assert orders[1].what.startswith("re-queued: failed since")


@pytest.mark.parametrize(
    ("fields", "what", "because"),
    [
        (
            {"reason": "DataError: x", "attempts": 2},
            "is on the queue",
            "attempts so far: 2; last error: DataError: x",
        ),
        ({"status": EventStatus.FAILED, "reason": "gave up"}, "given up, nobody is told", "gave up"),
    ],
)
def test_an_event_that_is_not_fanned_out_ends_the_story(team, issue, fields, what, because):
    make_event(issue, team.members["ann"], RENAMED)
    IssueEvent.objects.update(**fields)
    story = only(explain_person(team.members["bob"], issue, now=NOW, limits=LIMITS))
    assert names(story)[-2:] == ["change", "not told"]
    [fan_out_step] = [step for step in story.steps if step.name == "fan-out"]
    assert what in fan_out_step.what
    assert fan_out_step.because == because


def test_an_event_tells_all_who_were_told_and_how_their_mails_stand(team, issue):
    carl = team.members["carl"]
    event = make_event(issue, carl, RENAMED, assigned(team.members["dora"]))
    fan_out(event.id, 1, now=NOW, limits=LIMITS)
    EmailNotificationLog.objects.filter(receiver=team.members["ann"]).delete()
    EmailNotificationLog.objects.exclude(receiver=team.members["bob"]).update(created_at=LATER)
    claim(now=NOW + LIMITS.window_idle, limits=LIMITS)

    story = only(explain_event(event.id, now=NOW, limits=LIMITS))

    assert [step.what for step in story.steps if step.name == "change"] == [
        "name: Door → Gate by carl",
        "assignees: - → dora by carl",
    ]
    assert {step.what: step.because for step in story.steps if step.name == "told"} == {
        "ann": "mail: no line to mail",
        "bob": "mail: waiting",
        "dora": "mail: waits for its window",
    }


def test_a_row_with_garbage_in_it_can_be_asked_about(team, event):
    EmailNotificationLog.objects.update(data=["no", "dict"])
    log = EmailNotificationLog.objects.get()
    story = only(explain_log(log.id, now=NOW, limits=LIMITS))
    assert names(story) == ["change", "line"]


@pytest.mark.parametrize("question", [explain_log, explain_digest, explain_notification, explain_event])
def test_what_is_not_there_is_refused(question):
    with pytest.raises(NotFoundError, match="no such"):
        question(uuid4(), now=NOW, limits=LIMITS)


def test_the_newest_events_are_told_at_a_constant_cost(team, issue):
    bob = team.members["bob"]

    def cost() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            explain_person(bob, issue, now=NOW, limits=LIMITS)
        return len(captured)

    fan_out(make_event(issue, team.members["ann"], RENAMED).id, 1, now=NOW, limits=LIMITS)
    few = cost()
    for n in range(25):
        event = make_event(issue, team.members["ann"], COMMENTED)
        IssueEvent.objects.filter(id=event.id).update(occurred_at=NOW + timedelta(minutes=n + 1))
        fan_out(event.id, 1, now=NOW, limits=LIMITS)
    assert cost() <= few
    stories = explain_person(bob, issue, now=NOW, limits=LIMITS)
    moments = [story.steps[0].when for story in stories]
    assert (len(stories), moments) == (20, sorted(moments))
