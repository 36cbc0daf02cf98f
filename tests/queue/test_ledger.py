import time
from datetime import timedelta

import pytest

from project.queue.client import connect
from project.queue.ledger import Answer, Ledger, Verdict


@pytest.fixture
def limits(configure):
    return configure(lease=0.5, lease_renewal=0.1, redis_timeout=0.5)


@pytest.fixture
def ledger(server, limits):
    return Ledger(connect(server.url(1), limits.redis_wait), limits)


def verdict(ledger: Ledger, token: str) -> Verdict:
    return ledger.claim("m", token).verdict


def test_one_of_two_claims_wins_and_the_other_learns_the_rest_of_the_lease(ledger, limits):
    assert ledger.claim("m", "one") == Answer(Verdict.CLAIMED, 1)
    busy = ledger.claim("m", "two")
    assert busy.verdict is Verdict.BUSY
    assert 0 < busy.number <= limits.lease / timedelta(milliseconds=1)


def test_a_claim_ends_with_its_lease_and_the_next_one_counts_it(ledger, limits):
    ledger.claim("m", "one")
    time.sleep(limits.lease.total_seconds() + 0.05)
    assert ledger.claim("m", "two") == Answer(Verdict.CLAIMED, 2)


def test_a_renewed_claim_lasts(ledger, limits):
    ledger.claim("m", "one")
    for _ in range(4):
        time.sleep(limits.lease.total_seconds() / 2)
        assert ledger.renew([("m", "one")]) == [True]
    assert verdict(ledger, "two") is Verdict.BUSY


def test_a_claim_that_was_taken_over_is_not_renewed_and_not_released(ledger, limits):
    ledger.claim("m", "one")
    time.sleep(limits.lease.total_seconds() + 0.05)
    ledger.claim("m", "two")
    assert ledger.renew([("m", "one"), ("m", "two")]) == [False, True]
    assert not ledger.release("m", "one")
    assert verdict(ledger, "three") is Verdict.BUSY


def test_a_released_message_may_be_claimed_and_its_deliveries_count_anew(ledger):
    ledger.claim("m", "one")
    assert ledger.release("m", "one")
    assert ledger.release("m", "one")  # again, for the answer was lost
    assert ledger.claim("m", "two") == Answer(Verdict.CLAIMED, 1)


def test_a_renewal_that_arrives_late_does_not_bring_a_released_claim_back(ledger):
    ledger.claim("m", "one")
    ledger.release("m", "one")
    assert ledger.renew([("m", "one")]) == [True]
    assert verdict(ledger, "two") is Verdict.CLAIMED


def test_who_was_taken_over_does_not_call_the_heirs_work_done(ledger, limits):
    """The late one may have been refused by the fence; if the heir dies, its message has to run again."""
    ledger.claim("m", "late")
    time.sleep(limits.lease.total_seconds() + 0.05)
    ledger.claim("m", "heir")
    assert not ledger.complete("m", "late")
    assert verdict(ledger, "copy") is Verdict.BUSY
    time.sleep(limits.lease.total_seconds() + 0.05)
    assert verdict(ledger, "redelivery") is Verdict.CLAIMED


def test_done_stays_done(ledger, limits):
    ledger.claim("m", "one")
    time.sleep(limits.lease.total_seconds() + 0.05)
    assert ledger.complete("m", "one")  # late, but nobody took over
    assert ledger.complete("m", "one")
    assert verdict(ledger, "two") is Verdict.DONE
    assert not ledger.release("m", "two")
    assert verdict(ledger, "three") is Verdict.DONE
    assert ledger.done(["m", "other"]) == {"m"}


def test_a_claim_whose_answer_was_lost_can_be_made_again(ledger):
    assert ledger.claim("m", "one") == ledger.claim("m", "one")


def test_a_claim_that_redis_forgot_is_made_again(ledger, server):
    ledger.claim("m", "one")
    with server.client() as client:
        client.flushall()
    assert ledger.renew([("m", "one")]) == [True]
    assert verdict(ledger, "two") is Verdict.BUSY


def test_every_key_expires(ledger, server):
    ledger.claim("running", "t")
    ledger.claim("free", "t")
    ledger.release("free", "t")
    ledger.claim("done", "t")
    ledger.complete("done", "t")
    with server.client(1) as client:
        assert len(client.keys()) == 4  # three states, and the deliveries of the running one
        assert all(client.pttl(key) > 0 for key in client.scan_iter())
