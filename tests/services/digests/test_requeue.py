"""Orders about digests, and that none of them sends a mail twice (G8)."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from project.models import (
    DigestStatus,
    EmailDigest,
    EmailNotificationLog,
    Order,
    ProjectMember,
    Report,
    RequeueAudit,
    Verb,
    Wake,
)
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from project.services.digests.requeue import assume_sent, idle_digests, if_requeued, requeue
from project.services.maintenance.verify import verify
from tests.at_once import at_once
from tests.conftest import SmtpSink
from tests.factories import make_team
from tests.services.digests.lines import NOW, only_digest
from tests.services.digests.sending import LIMITS, changed

pytestmark = pytest.mark.django_db(transaction=True)
LATER = NOW + timedelta(hours=1)
REQUEUE = Order(Verb.REQUEUE, "olga", "mail server is back", LATER)
ASSUME = Order(Verb.ASSUME_SENT, "olga", "the provider's log shows it", LATER)
ENDED = {"ended_at": NOW, "reason": "receiver: rcpt 550 5.1.1", "failures": 3, "attempt": 3, "answer": "550"}
PASSED = {"sealed_at": NOW, "content": b"frozen", "dot_at": NOW}
S = DigestStatus

STANDINGS: dict[DigestStatus, dict[str, Any]] = {
    S.WAITING: {},
    S.SENDING: {"owner": uuid4(), "started_at": NOW},
    S.FENCED: {"owner": uuid4(), "started_at": NOW, **PASSED},
    S.HELD: {**ENDED, **PASSED},
    S.SENT: {**ENDED, **PASSED, "reason": ""},
    S.SENT_ASSUMED: {**ENDED, **PASSED},
    S.SUPPRESSED: {**ENDED, "reason": "read"},
    S.FAILED: ENDED,
    S.EXPIRED: ENDED,
}


@pytest.fixture
def target() -> Wake:
    changed(make_team())
    [wake] = claim(now=NOW, limits=LIMITS)
    return wake


def stands(status: DigestStatus) -> None:
    EmailDigest.objects.update(status=status, **STANDINGS[status])


def send(outbox: Outbox, wake: Wake) -> None:
    deliver(*wake, owner=uuid4(), outbox=outbox, clock=lambda: LATER)


def word(report: Report) -> str:
    [outcome] = report.outcomes.values()
    return outcome.word


@pytest.mark.parametrize("status", [S.FAILED, S.EXPIRED, S.HELD])
def test_what_did_not_go_out_waits_again_under_a_new_dispatch(target: Wake, status: DigestStatus) -> None:
    stands(status)

    report = requeue([target], REQUEUE)

    assert word(report) == "re-queued"
    assert report.wakes == [Wake(target.row_id, 2)]
    row = only_digest()
    assert (row.status, row.dispatch, row.due_at, row.enqueued_at) == (S.WAITING, 2, LATER, LATER)
    assert (row.failures, row.unanswered, row.attempt, row.reason) == (0, 0, 3, "")


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (S.WAITING, "under way"),
        (S.SENDING, "under way"),
        (S.FENCED, "under way"),
        (S.SENT, "already sent"),
        (S.SENT_ASSUMED, "already sent"),
        (S.SUPPRESSED, "suppressed"),
    ],
)
def test_what_did_not_fail_is_left_as_it_is(target: Wake, status: DigestStatus, said: str) -> None:
    stands(status)
    before = EmailDigest.objects.values().get()

    report = requeue([target], REQUEUE)

    assert (word(report), report.wakes) == (said, [])
    assert EmailDigest.objects.values().get() == before


def test_the_preview_says_the_same_and_does_nothing(target: Wake) -> None:
    stands(S.FAILED)
    unknown = Wake(uuid4(), 1)

    prospects = if_requeued([target, unknown], now=LATER)

    assert prospects[str(target.row_id)].word == "will run"
    assert "failed since 2026-03-10 12:00:00 UTC: receiver: rcpt 550" in prospects[str(target.row_id)].detail
    assert prospects[str(unknown.row_id)].word == "no such digest"
    assert only_digest().status == S.FAILED
    assert not RequeueAudit.objects.exists()


def test_the_preview_tells_who_would_not_be_mailed_any_more(target: Wake) -> None:
    stands(S.FAILED)
    ProjectMember.objects.update(is_active=False)
    [prospect] = if_requeued([target], now=LATER).values()
    assert (prospect.acts, prospect.word) == (True, "will be suppressed")
    assert prospect.detail.startswith("no_access; failed since")


def test_a_held_one_is_sent_again_as_it_was_and_the_doubt_stays(
    target: Wake, outbox: Outbox, smtp_sink: SmtpSink
) -> None:
    send(outbox, target)
    first = bytes(only_digest().content)
    EmailDigest.objects.update(status=S.HELD, ended_at=NOW, reason="lost_reply: dot")

    [again] = requeue([target], REQUEUE).wakes
    assert only_digest().dot_at is not None
    send(outbox, again)

    assert smtp_sink.contents == [first, first]


def test_a_held_one_is_tried_again_with_a_warning(target: Wake) -> None:
    stands(S.HELD)
    [prospect] = if_requeued([target], now=LATER).values()
    assert (prospect.acts, prospect.word) == (True, "may be mailed twice")


def test_a_double_click_is_one_requeue(target: Wake) -> None:
    stands(S.FAILED)
    first, second = requeue([target], REQUEUE), requeue([target], REQUEUE)
    assert (word(first), word(second)) == ("re-queued", "already re-queued")
    assert (second.wakes, only_digest().dispatch) == ([], 2)


def test_it_failed_again_meanwhile_so_the_old_order_does_not_count(target: Wake) -> None:
    stands(S.FAILED)
    requeue([target], REQUEUE)
    stands(S.FAILED)
    assert word(requeue([target], REQUEUE)) == "already re-queued"
    assert only_digest().status == S.FAILED


def test_operators_at_once_requeue_each_digest_once() -> None:
    team = make_team()
    for _ in range(20):
        changed(team)
    targets = claim(now=NOW, limits=LIMITS)
    stands(S.FAILED)

    reports = at_once(
        EmailDigest.objects.all(),
        lambda: requeue(targets, REQUEUE),
        lambda: requeue(targets[::-1], REQUEUE),
        lambda: requeue(targets, REQUEUE),
    )

    assert sorted(wake for report in reports for wake in report.wakes) == sorted(
        Wake(row_id, 2) for row_id, _ in targets
    )
    words = sorted(outcome.word for report in reports for outcome in report.outcomes.values())
    assert words == ["already re-queued"] * 40 + ["re-queued"] * 20


def test_a_requeued_digest_is_mailed_once_and_never_again(
    target: Wake, outbox: Outbox, smtp_sink: SmtpSink
) -> None:
    stands(S.FAILED)
    [again] = requeue([target], REQUEUE).wakes

    for wake in (target, again, again):
        send(outbox, wake)
    report = requeue([again], REQUEUE)
    send(outbox, Wake(target.row_id, 3))

    assert (word(report), report.wakes) == ("already sent", [])
    assert len(smtp_sink.messages) == 1
    assert only_digest().status == S.SENT
    assert verify(now=LATER, limits=LIMITS) == []


def test_a_held_one_taken_for_sent_ends_with_its_lines_and_is_never_mailed(
    target: Wake, outbox: Outbox, smtp_sink: SmtpSink
) -> None:
    stands(S.HELD)

    assert word(assume_sent([target], ASSUME)) == "taken for sent"
    assert word(assume_sent([target], ASSUME)) == "already sent"
    assert word(requeue([target], REQUEUE)) == "already sent"
    send(outbox, target)

    row = only_digest()
    assert (row.status, row.ended_at) == (S.SENT_ASSUMED, LATER)
    assert row.reason == "taken for sent by olga: the provider's log shows it"
    assert EmailNotificationLog.objects.get().sent_at == LATER
    assert smtp_sink.messages == []
    assert verify(now=LATER, limits=LIMITS) == []


@pytest.mark.parametrize("status", [S.FAILED, S.EXPIRED, S.WAITING])
def test_only_a_held_one_can_be_taken_for_sent(target: Wake, status: DigestStatus) -> None:
    stands(status)
    assert word(assume_sent([target], ASSUME)) == "not held"
    assert only_digest().status == status


def test_the_order_is_on_record_with_what_the_row_was(target: Wake) -> None:
    stands(S.FAILED)
    unknown = uuid4()

    requeue([target, Wake(unknown, 1)], REQUEUE)

    audit = RequeueAudit.objects.get()
    assert (audit.at, audit.by, audit.why) == (LATER, "olga", "mail server is back")
    assert (audit.verb, audit.target, audit.finished_at) == ("requeue", "digests", LATER)
    assert audit.counts == {"re-queued": 1, "no such digest": 1}
    assert audit.rows == {
        str(target.row_id): "re-queued: failed since 2026-03-10 12:00:00 UTC: receiver: rcpt 550 5.1.1",
        str(unknown): "no such digest",
    }
    assert list(RequeueAudit.about([target.row_id])) == [audit]
    assert not RequeueAudit.about([uuid4()]).exists()


def test_an_order_that_fails_changes_nothing(target: Wake) -> None:
    stands(S.FAILED)
    with pytest.raises(Exception, match="requeue_has_reason"):
        requeue([target], REQUEUE._replace(why=""))
    assert (only_digest().status, only_digest().dispatch) == (S.FAILED, 1)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (S.WAITING, None),
        (S.SENDING, None),
        (S.FENCED, "the digest is fenced"),
        (S.SENT, "the digest is sent since 2026-03-10 12:00:00 UTC"),
        (
            S.FAILED,
            "the digest is failed since 2026-03-10 12:00:00 UTC: receiver: rcpt 550 5.1.1;"
            " `digests requeue {id}` tries it again",
        ),
    ],
)
def test_a_wake_up_that_would_do_nothing_is_told_so(
    target: Wake, status: DigestStatus, said: str | None
) -> None:
    stands(status)
    assert idle_digests([target]).get(target) == (said and said.format(id=target.row_id))


def test_a_wake_up_of_an_earlier_dispatch_or_of_nothing_is_told_so(target: Wake) -> None:
    EmailDigest.objects.update(dispatch=3)
    gone = Wake(uuid4(), 1)
    assert idle_digests([target, gone]) == {
        target: "the digest has a later dispatch (3) and is waiting",
        gone: "the digest is gone",
    }
