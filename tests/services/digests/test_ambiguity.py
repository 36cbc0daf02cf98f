"""What is done when nobody knows whether a mail was sent."""

from dataclasses import replace
from datetime import timedelta
from itertools import repeat
from uuid import uuid4

import pytest

from project.limits import Doubt
from project.models import DigestStatus, EmailDigest, Notification, ProjectMember, User
from project.services.digests.ambiguity import Cause, policy_for
from project.services.digests.attempts import begin, fence, put_off
from project.services.digests.conclude import conclude
from project.services.digests.settle import CRASHED, settle_unanswered
from tests.services.digests.lines import NOW, only_digest
from tests.services.digests.office import MINUTE, due, open_office, wake
from tests.services.digests.sending import LIMITS
from tests.services.digests.verdicts import GREYLISTED, POISON, SENT, UNKNOWN
from tests.smtp_script import DROP, HANG, OVER_LONG, RESET, reply, script

pytestmark = pytest.mark.django_db(transaction=True)
ASSUMED, HELD, WAITING = DigestStatus.SENT_ASSUMED, DigestStatus.HELD, DigestStatus.WAITING
QUICK = replace(LIMITS, smtp_dot=timedelta(seconds=0.3))
A, R, H = Doubt.ASSUME_SENT, Doubt.RESEND, Doubt.HOLD


@pytest.mark.parametrize(
    ("cause", "configured", "applied"),
    [
        (Cause.CRASH, R, A), (Cause.INTERRUPTED, R, A), (Cause.LOST_REPLY, R, R), (Cause.UNREADABLE, R, R),
        *((cause, H, H) for cause in Cause), *((cause, A, A) for cause in Cause),
    ],
)  # fmt: skip
@pytest.mark.parametrize("urgent", [True, False])
def test_the_policy_by_cause_and_class(cause, configured, applied, urgent):
    other = {"ambiguous_normal": H if configured is A else A, "ambiguous_urgent": H if configured is A else A}
    limits = replace(LIMITS, **other | {"ambiguous_urgent" if urgent else "ambiguous_normal": configured})
    assert policy_for(cause, urgent=urgent, limits=limits) is applied


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (DROP, "lost_reply: dot no connection"),
        (RESET, "lost_reply: dot no connection"),
        (HANG, "lost_reply: dot timed out"),
        (OVER_LONG, "unreadable: dot unreadable answer"),
        (reply("hm"), "unreadable: dot unreadable answer"),
        (reply("354 go on"), "unreadable: dot 354"),
    ],
)
@pytest.mark.parametrize("urgent", [True, False])
def test_a_lost_or_unreadable_answer(team, answer, reason, urgent):
    with open_office(script(dot=[answer]), QUICK) as (office, server):
        office.deliver([wake(due(team, urgent=urgent))])
        row = only_digest()
        if urgent:
            assert (row.status, row.reason, row.dot_at, row.dispatch) == (WAITING, "", NOW, 2)
            assert row.due_at == NOW + QUICK.fence_patience
            assert row.answer == reason.partition(": ")[2]
        else:
            assert (row.status, row.reason, row.ended_at) == (ASSUMED, reason, NOW)
    assert len(server.accepted) == 1


def test_what_was_sent_again_in_vain_is_not_sent_a_third_time(team):
    with open_office(script(dot=[DROP, DROP])) as (office, server):
        office.deliver([wake(due(team, urgent=True))])
        office.tick_until(NOW + 3 * LIMITS.fence_patience)
    assert (only_digest().status, only_digest().reason) == (ASSUMED, "lost_reply: dot no connection")
    assert len(server.accepted) == 2


@pytest.mark.parametrize("urgent", [True, False])
def test_operators_can_be_asked_instead(team, urgent):
    limits = replace(LIMITS, ambiguous_normal=H, ambiguous_urgent=H)
    with open_office(script(dot=[DROP]), limits) as (office, server):
        office.deliver([wake(due(team, urgent=urgent))])
        office.tick_until(NOW + 3 * LIMITS.fence_patience)
    row = only_digest()
    assert (row.status, row.reason) == (HELD, "lost_reply: dot no connection")
    assert row.dot_at == row.ended_at == NOW
    assert not row.lines.filter(log__sent_at__isnull=False).exists()
    assert len(server.accepted) == 1


@pytest.mark.parametrize(("policy", "status"), [(A, ASSUMED), (R, ASSUMED), (H, HELD)])
def test_after_a_crash(team, policy, status):
    limits = replace(LIMITS, ambiguous_normal=policy)
    crashed(team)
    assert settle_unanswered(now=NOW + LIMITS.fence_patience, limits=limits) == 1
    row = only_digest()
    assert (row.status, row.reason) == (status, CRASHED)
    assert row.lines.filter(log__sent_at__isnull=False).exists() == (status == ASSUMED)


@pytest.mark.parametrize("policy", [A, H])
@pytest.mark.parametrize(
    ("late", "status"),
    [(SENT, "sent"), (POISON, "failed"), (UNKNOWN, "failed"), (GREYLISTED, "waiting")],
)
def test_a_late_answer_of_the_same_attempt_corrects_the_record(team, policy, late, status):
    limits = replace(LIMITS, ambiguous_normal=policy)
    attempt = crashed(team)
    later = NOW + LIMITS.fence_patience
    settle_unanswered(now=later, limits=limits)
    conclude(attempt, late, now=later + MINUTE, limits=limits)
    row = only_digest()
    assert row.status == status
    assert row.lines.filter(log__sent_at__isnull=False).exists() == (status == "sent")
    assert (row.ended_at is None) == (status == "waiting")


def test_the_bytes_of_what_was_perhaps_sent_do_not_change(team):
    with open_office(script(dot=[DROP])) as (office, server):
        digest = due(team, urgent=True)
        office.deliver([wake(digest)])
        type(digest.issue).objects.update(name="Another title")
        office.tick_until(NOW + LIMITS.fence_patience + MINUTE)
    assert only_digest().status == DigestStatus.SENT
    assert len({mail.content for mail in server.accepted}) == 1
    assert len(server.accepted) == 2


@pytest.mark.parametrize(
    ("stage", "refusal"),
    [("rcpt", "450 4.2.0 later"), ("rcpt", "550 5.1.1 unknown"), ("dot", "554 5.6.0 malformed")],
)
def test_what_was_perhaps_sent_never_ends_as_unsent(team, stage, refusal):
    with open_office(script(dot=[DROP])) as (office, server):
        office.deliver([wake(due(team, urgent=True))])
        server.behave = script(**{stage: repeat(reply(refusal))})
        office.tick_until(NOW + LIMITS.fence_patience + MINUTE)
        if refusal.startswith("4"):
            assert (only_digest().status, only_digest().dot_at) == (WAITING, NOW)
            office.now = NOW + LIMITS.mail_expiry
            office.tick()
    row = only_digest()
    assert row.status == ASSUMED
    assert row.reason.startswith("perhaps sent, and not again: ")
    assert row.lines.filter(log__sent_at__isnull=False).exists()
    assert len(server.accepted) == 1


def read_it(digest: EmailDigest) -> None:
    data = digest.lines.select_related("log").get().log.data
    Notification.objects.create(
        workspace=digest.issue.workspace, receiver=digest.receiver, entity_identifier=digest.issue_id, data=data,
        entity_name="issue", title="", sender="", read_at=NOW,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: ProjectMember.objects.filter(member=d.receiver).update(is_active=False), "no_access"),
        (lambda d: User.objects.filter(pk=d.receiver_id).update(email="new@acme.example"), "the address changed"),
        (lambda d: User.objects.filter(pk=d.receiver_id).update(email="jörg@x.example"), "eai_unsupported"),
        (read_it, "read"),
    ],
)  # fmt: skip
def test_it_is_asked_again_whether_it_may_be_sent_again(team, change, reason):
    with open_office(script(dot=[DROP])) as (office, server):
        digest = due(team, urgent=True)
        office.deliver([wake(digest)])
        change(digest)
        office.tick_until(NOW + LIMITS.fence_patience + MINUTE)
    row = only_digest()
    assert row.status == ASSUMED
    assert row.reason.startswith("perhaps sent, and not again: ")
    assert row.reason.endswith(reason)
    assert len(server.accepted) == 1


def test_a_worker_that_dies_at_the_second_try_before_its_fence_leaves_the_doubt(team):
    with open_office(script(dot=[DROP])) as (office, _):
        digest = due(team, urgent=True)
        office.deliver([wake(digest)])
        second = begin(digest.id, 2, owner=uuid4(), now=NOW, limits=LIMITS)
        heir = begin(digest.id, 2, owner=uuid4(), now=NOW, limits=LIMITS)
    assert (second.perhaps_sent, heir.perhaps_sent) == (True, True)
    put_off(heir, until=NOW, answer="", charge=True)
    assert only_digest().dot_at == NOW


def crashed(team):
    """An attempt whose worker died, or just seems to have, behind the fence."""
    with open_office() as (office, _):
        digest = due(team)
        EmailDigest.objects.update(sealed_at=NOW, content=b"x", to_address="bob@acme.example")
        attempt = begin(digest.id, 1, owner=uuid4(), now=office.now, limits=LIMITS)
        assert fence(attempt, now=NOW)
    return attempt
