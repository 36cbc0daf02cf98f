"""What follows from each refusal for the digest: when it is tried again, or how it ends."""

from datetime import timedelta
from uuid import uuid4

import pytest

from project.models import DigestStatus, EmailDigest
from project.services.digests import attempts
from project.services.digests.attempts import Attempt
from project.services.digests.conclude import conclude, wait_before
from project.services.digests.progress import Fault, Phase
from project.services.digests.replies import Kind
from tests.factories import Team, make_comment, make_issue
from tests.services.digests.lines import NOW, only_digest
from tests.services.digests.office import MINUTE, due, open_office, wake
from tests.services.digests.sending import LIMITS, changed
from tests.services.digests.verdicts import (
    BARE,
    CONFIG,
    DENIED,
    FULL,
    GREYLISTED,
    OUTAGE,
    POISON,
    SESSION,
    SPAM,
    THROTTLED,
    TOO_BIG,
    UNKNOWN,
    verdict,
)
from tests.smtp_script import reply, script

pytestmark = pytest.mark.django_db(transaction=True)
WAITING, FAILED, EXPIRED = DigestStatus.WAITING, DigestStatus.FAILED, DigestStatus.EXPIRED


def begun(team: Team) -> Attempt:
    digest = due(team)
    EmailDigest.objects.update(sealed_at=NOW, content=b"frozen", to_address="bob@acme.example")
    return attempts.begin(digest.id, 1, owner=uuid4(), now=NOW, limits=LIMITS)


@pytest.mark.parametrize(
    ("verdict", "charged", "least"),
    [
        (OUTAGE, 0, 0.8 * MINUTE),
        (CONFIG, 0, 0.8 * MINUTE),
        (SESSION, 1, 0.8 * MINUTE),
        (THROTTLED, 1, 0.8 * MINUTE),
        (SPAM, 1, 0.8 * MINUTE),
        (GREYLISTED, 1, 5 * MINUTE),
        (DENIED, 1, 60 * MINUTE),
    ],
)
def test_what_is_put_off_and_for_how_long(team, verdict, charged, least):
    conclude(begun(team), verdict, now=NOW, limits=LIMITS)
    row = only_digest()
    assert (row.status, row.failures, row.dispatch, row.answer) == (WAITING, charged, 2, verdict.reason)
    assert least <= row.due_at - NOW <= max(least, 1.2 * MINUTE)


@pytest.mark.parametrize("verdict", [UNKNOWN, FULL, POISON, BARE])
def test_what_ends_at_once(team, verdict):
    conclude(begun(team), verdict, now=NOW, limits=LIMITS)
    row = only_digest()
    assert (row.status, row.reason) == (FAILED, f"{verdict.kind}: {verdict.reason}")
    assert row.ended_at == NOW


@pytest.mark.parametrize("failures", range(9))
def test_waits_grow_and_are_spread_but_never_shorter_than_greylisting_wants(failures):
    backoff = LIMITS.mail_backoff[min(failures, 5)]
    waits = {wait_before(failures, SPAM, seed=seed, limits=LIMITS) for seed in range(0, 20_000, 37)}
    assert 0.8 * backoff <= min(waits) < 0.85 * backoff
    assert 1.15 * backoff < max(waits) <= 1.2 * backoff
    assert all(
        wait_before(failures, GREYLISTED, seed=seed, limits=LIMITS) >= 5 * MINUTE for seed in range(3000)
    )


def test_after_two_days_of_refusals_a_digest_expires(team):
    attempt = begun(team)
    conclude(attempt, SPAM, now=NOW + LIMITS.mail_expiry, limits=LIMITS)
    row = only_digest()
    assert (row.status, row.reason) == (EXPIRED, "tried for 2 days, 0:00:00: last policy: replied 550 5.7.1")


def test_what_is_never_accepted_is_tried_about_fourteen_times_and_then_expires(team):
    with open_office(lambda stage, _: reply("450 4.2.0 later") if stage == "rcpt" else None) as (
        office,
        _,
    ):
        digest = due(team)
        while only_digest().status == WAITING:
            office.now = max(office.now, only_digest().due_at)
            office.deliver([wake(digest)])
    row = only_digest()
    assert row.status == EXPIRED
    assert LIMITS.mail_expiry <= row.ended_at - NOW < LIMITS.mail_expiry + timedelta(hours=8)
    assert 10 <= row.attempt <= 16


@pytest.mark.parametrize("refusals", [1, 2])
def test_a_mail_that_is_too_big_is_tried_once_without_the_texts_of_comments(team, refusals):
    issue = make_issue(team)
    comment = make_comment(issue, team.members["ann"], "<p>a very long story</p>")
    changed(
        team, issue=issue, field="comment", verb="created", new_value=comment.comment_html,
        issue_comment=comment, new_identifier=comment.id,
    )  # fmt: skip
    with open_office(script(mail=[reply("552 5.3.4 too big")] * refusals)) as (office, _):
        office.deliver(office.claim())
        first = only_digest()
        assert (first.status, first.abridged, first.due_at) == (WAITING, True, NOW)
        assert b"a very long story" in bytes(first.content)
        office.tick()
    row = only_digest()
    assert row.generation == 2
    assert b"a very long story" not in bytes(row.content)
    assert b"The text makes the mail too big" in bytes(row.content)
    if refusals == 1:
        assert row.status == DigestStatus.SENT
        assert row.message_id != first.message_id
    else:
        assert (row.status, row.reason) == (FAILED, f"message: {TOO_BIG.reason}")


def test_the_fifth_mail_in_a_row_that_is_refused_without_a_reason_is_not_to_blame(team):
    with open_office(script(dot=[reply("554 no")] * 6)) as (office, _):
        digests = [due(team) for _ in range(6)]
        office.deliver(map(wake, digests))
    statuses = list(EmailDigest.objects.order_by("status").values_list("status", "failures"))
    assert statuses == [(FAILED, 0)] * 4 + [(WAITING, 1)] * 2


def test_refusals_without_a_reason_that_are_not_in_a_row_are_the_mails_fault(team):
    answers = [reply("554 no")] * 4 + [reply("250 2.0.0 queued")] + [reply("554 no")]
    with open_office(script(dot=answers)) as (office, _):
        for _ in range(6):
            office.now += timedelta(seconds=1)
            office.deliver([wake(due(team))])
    assert EmailDigest.objects.filter(status=FAILED).count() == 5


@pytest.mark.parametrize("verdict", [SPAM, POISON, UNKNOWN, OUTAGE])
def test_who_was_taken_over_concludes_nothing(team, verdict):
    late = begun(team)
    attempts.begin(late.digest_id, 1, owner=uuid4(), now=NOW, limits=LIMITS)
    conclude(late, verdict, now=NOW, limits=LIMITS)
    assert (only_digest().status, only_digest().attempt) == (DigestStatus.SENDING, 2)


INTERRUPTED = verdict(Phase.BODY, Fault.UNFINISHED)


def test_an_interrupt_before_the_fence_leaves_the_digest_to_the_message_that_was_interrupted(team):
    conclude(begun(team), INTERRUPTED, now=NOW, limits=LIMITS)
    row = only_digest()
    assert (row.status, row.dispatch, row.failures, row.unanswered) == (WAITING, 1, 0, 0)


def test_an_interrupt_behind_it_needs_a_new_message_since_copies_of_the_first_found_nothing_to_do(team):
    attempt = begun(team)
    attempts.fence(attempt, now=NOW)
    assert attempts.begin(attempt.digest_id, 1, owner=uuid4(), now=NOW, limits=LIMITS) is None
    conclude(attempt, INTERRUPTED, now=NOW, limits=LIMITS)
    row = only_digest()
    assert (row.status, row.dispatch, row.dot_at, row.enqueued_at) == (WAITING, 2, None, None)


def test_every_refusal_is_in_these_tests():
    told = {v.kind for v in (CONFIG, DENIED, FULL, GREYLISTED, OUTAGE, POISON, SESSION, UNKNOWN)}
    elsewhere = {Kind.SENT, Kind.AMBIGUOUS, Kind.INTERRUPTED, Kind.REFUSED_BY_FENCE}
    assert told | elsewhere == set(Kind)
