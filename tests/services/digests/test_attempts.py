import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from project.limits import Limits
from project.models import DigestStatus, EmailDigest, EmailDigestLine
from project.services.digests import attempts
from project.services.digests.attempts import Attempt
from project.services.digests.claim import claim
from project.services.digests.settle import CRASHED, settle_unanswered
from tests.factories import make_issue, make_team
from tests.services.digests.lines import NOW, make_activity, make_log, only_digest

pytestmark = pytest.mark.django_db(transaction=True)
LIMITS = Limits()


@pytest.fixture
def digest() -> EmailDigest:
    team = make_team()
    issue = make_issue(team)
    for _ in range(2):
        make_log(team.members["bob"], make_activity(issue, team.members["ann"]))
    claim(now=NOW, limits=LIMITS)
    EmailDigest.objects.update(sealed_at=NOW, content=b"frozen", generation=1)
    return only_digest()


def begin(digest: EmailDigest, dispatch: int = 1, limits: Limits = LIMITS) -> Attempt | None:
    return attempts.begin(digest.id, dispatch, owner=uuid4(), now=NOW, limits=limits)


def test_the_fence_lets_an_owner_pass_once(digest):
    attempt = begin(digest)
    assert attempts.fence(attempt, now=NOW)
    assert not attempts.fence(attempt, now=NOW)
    assert only_digest().dot_at == NOW


def test_a_take_over_makes_the_late_owner_fail_its_fence_and_every_later_write(digest):
    late, heir = begin(digest), begin(digest)
    assert (late.number, heir.number) == (1, 2)
    assert not attempts.fence(late, now=NOW)
    assert attempts.fence(heir, now=NOW)
    attempts.give_back(late)
    attempts.put_off(late, until=NOW, answer="late", charge=True)
    assert not attempts.end(late, DigestStatus.FAILED, "late", now=NOW)
    assert only_digest().status == DigestStatus.FENCED


def test_nobody_takes_over_behind_the_fence(digest):
    attempts.fence(begin(digest), now=NOW)
    assert begin(digest) is None


def test_of_many_workers_at_the_same_moment_one_passes_the_fence(digest):
    start = threading.Barrier(8)

    def work(_: int) -> bool:
        start.wait(10)
        attempt = begin(digest, limits=replace(LIMITS, mail_reclaims=100))
        passed = attempt is not None and attempts.fence(attempt, now=NOW)
        connection.close()
        return passed

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) == 1


def test_a_mistake_of_ours_reopens_nothing_that_may_have_been_sent(digest):
    attempt = begin(digest)
    attempts.fence(attempt, now=NOW)
    assert attempts.reopen([digest.id], until=NOW) == 0
    attempts.end(attempt, DigestStatus.SENT_ASSUMED, "no answer", now=NOW)
    assert attempts.reopen([digest.id], until=NOW) == 0
    assert only_digest().status == DigestStatus.SENT_ASSUMED


@pytest.mark.parametrize("dispatch", [0, 2])
def test_another_dispatch_is_stale(digest, dispatch):
    assert begin(digest, dispatch) is None
    assert only_digest().attempt == 0


def test_an_unknown_digest_is_nothing_to_do():
    assert attempts.begin(uuid4(), 1, owner=uuid4(), now=NOW, limits=LIMITS) is None


def test_ended_well_stamps_the_lines_that_were_mailed(digest):
    left_out = digest.lines.first()
    EmailDigestLine.objects.filter(log_id=left_out.log_id).update(suppressed="read")
    attempt = begin(digest)
    attempts.fence(attempt, now=NOW)
    assert attempts.end(attempt, DigestStatus.SENT, "", now=NOW, answer="250")
    sent = {line.log_id: line.log.sent_at for line in digest.lines.select_related("log")}
    assert sent.pop(left_out.log_id) is None
    assert set(sent.values()) == {NOW}


def test_put_off_is_a_new_dispatch_that_nobody_has_named_yet(digest):
    until = NOW + timedelta(minutes=1)
    attempts.put_off(begin(digest), until=until, answer="rcpt 450", charge=True)
    row = only_digest()
    assert (row.status, row.dispatch, row.failures, row.due_at) == (DigestStatus.WAITING, 2, 1, until)
    assert row.enqueued_at is None
    assert begin(digest, dispatch=1) is None
    assert begin(digest, dispatch=2).number == 2


def test_interrupted_is_given_back_without_a_charge_and_the_same_message_may_come_again(digest):
    attempts.give_back(begin(digest))
    row = only_digest()
    assert (row.status, row.dispatch, row.failures, row.unanswered) == (DigestStatus.WAITING, 1, 0, 0)
    assert begin(digest) is not None


def test_interrupted_between_the_fence_and_the_dot_sent_nothing(digest):
    attempt = begin(digest)
    attempts.fence(attempt, now=NOW)
    attempts.give_back(attempt)
    assert (only_digest().status, only_digest().dot_at) == (DigestStatus.WAITING, None)


def test_attempts_that_kill_their_worker_are_bounded(digest):
    started = [begin(digest) for _ in range(LIMITS.mail_reclaims + 2)]
    assert [attempt is not None for attempt in started] == [True] * LIMITS.mail_reclaims + [False, False]
    row = only_digest()
    assert row.status == DigestStatus.FAILED
    assert row.reason == "poison: 5 attempts began and none ended"


def test_a_dead_workers_answer_is_assumed_only_after_any_living_one_would_have_heard_it(digest):
    attempts.fence(begin(digest), now=NOW)
    soon, late = NOW + LIMITS.fence_patience - timedelta(seconds=1), NOW + LIMITS.fence_patience
    assert settle_unanswered(now=soon, limits=LIMITS) == 0
    assert settle_unanswered(now=late, limits=LIMITS) == 1
    assert settle_unanswered(now=late, limits=LIMITS) == 0
    row = only_digest()
    assert (row.status, row.reason, row.ended_at) == (DigestStatus.SENT_ASSUMED, CRASHED, late)
    assert {line.log.sent_at for line in row.lines.select_related("log")} == {late}


def test_a_late_answer_corrects_the_assumption(digest):
    attempt = begin(digest)
    attempts.fence(attempt, now=NOW)
    settle_unanswered(now=NOW + LIMITS.fence_patience, limits=LIMITS)
    assert attempts.end(attempt, DigestStatus.SENT, "", now=NOW, answer="replied 250")
    assert only_digest().status == DigestStatus.SENT
