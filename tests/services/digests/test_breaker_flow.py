"""What becomes of the digests and lines while mail is stopped."""

from dataclasses import replace
from datetime import timedelta
from itertools import repeat
from uuid import uuid4

import pytest
from django.utils import timezone

from project.actors import digests as actors
from project.limits import Limits
from project.mail_server import MailServer
from project.models import DigestStatus, EmailDigest, EmailNotificationLog
from project.services.digests.attempts import begin, fence
from project.services.digests.breaker import Passage
from project.services.digests.deliver import Outbox
from project.services.maintenance.verify import verify
from tests.factories import make_issue
from tests.services.digests.lines import NOW, make_activity, make_log, only_digest
from tests.services.digests.office import MINUTE, due, open_office, wake
from tests.services.digests.sending import LETTERHEAD, LIMITS, changed
from tests.services.digests.verdicts import CONFIG, SENT
from tests.smtp_script import DROP, reply, script

pytestmark = pytest.mark.django_db(transaction=True)
AWAY = MailServer(host="127.0.0.1", port=1)


def test_two_hours_without_a_mail_server_are_one_mail_a_group_and_no_burst_of_wakes(team):
    issues = [make_issue(team) for _ in range(8)]

    def something_happens() -> None:
        for issue in issues:
            activity = make_activity(issue, team.members["ann"], old_value=str(office.now), new_value="x")
            make_log(team.members["bob"], activity, created_at=office.now)

    with open_office() as (office, server):
        office.move_to(AWAY)
        something_happens()
        for minute in range(130):
            if minute % 5 == 0:
                something_happens()
            office.tick()
        in_hand = EmailDigest.objects.filter(status=DigestStatus.WAITING)
        assert in_hand.count() == EmailDigest.objects.count() == len(issues)
        looks = in_hand.values_list("dispatch", flat=True)
        assert sum(looks) <= 2 * 13 * len(issues)  # one in ten minutes for each, another for a probe
        assert set(in_hand.values_list("failures", flat=True)) == {0}
        assert EmailNotificationLog.objects.filter(processed_at=None).count() > 20 * len(issues)
        office.move_to(server.address)  # another configuration: probed at the next tick
        for _ in range(10):
            office.tick()
    assert not EmailNotificationLog.objects.filter(sent_at=None).exists()
    assert len(server.accepted) == 2 * len(issues)  # those in hand, and one for all that gathered
    assert verify(now=office.now, limits=LIMITS) == []


def test_each_put_off_is_a_new_dispatch_with_a_due_time(team):
    with open_office() as (office, server):
        digest = due(team)
        office.breaker.note(Passage(), CONFIG, now=NOW)
        first = wake(digest)
        office.deliver([first, first])  # the message and a copy
        row = only_digest()
        assert (row.status, row.dispatch, row.attempt, row.awaits_breaker) == (
            DigestStatus.WAITING,
            2,
            0,
            True,
        )
        assert (row.due_at, row.enqueued_at) == (NOW + LIMITS.breaker_probe_max, None)
    assert server.connections == 0


def test_a_dead_workers_digest_is_put_off_too_and_a_living_ones_fence_fails(team):
    with open_office() as (office, _):
        digest = due(team)
        attempt = begin(digest.id, 1, owner=uuid4(), now=NOW, limits=LIMITS)
        office.breaker.note(Passage(), CONFIG, now=NOW)
        office.deliver([wake(digest)])
    assert (only_digest().status, only_digest().dispatch) == (DigestStatus.WAITING, 2)
    assert not fence(attempt, now=NOW)


def test_a_digest_behind_the_fence_is_left_alone(team):
    with open_office() as (office, _):
        digest = due(team)
        attempt = begin(digest.id, 1, owner=uuid4(), now=NOW, limits=LIMITS)
        EmailDigest.objects.update(sealed_at=NOW, content=b"x")
        fence(attempt, now=NOW)
        office.breaker.note(Passage(), CONFIG, now=NOW)
        office.deliver([wake(digest)])
    assert (only_digest().status, only_digest().dispatch) == (DigestStatus.FENCED, 1)


def test_a_probe_whose_digest_is_not_mailed_any_more_makes_room_for_the_next(team):
    with open_office() as (office, server):
        office.breaker.note(Passage(), CONFIG, now=NOW)
        gone, other = due(team, receiver="bob"), due(team, receiver="carl")
        office.deliver([wake(gone), wake(other)])
        EmailDigest.objects.filter(id=gone.id).update(due_at=NOW)
        type(team.members["bob"]).objects.filter(pk=team.members["bob"].pk).update(is_active=False)
        office.tick()
        assert server.accepted == []
        office.tick()
    assert [mail.recipient for mail in server.accepted] == [team.members["carl"].email]


def test_a_throttled_sender_pauses_and_then_starts_slowly(team):
    with open_office(script(mail=[reply("451 4.7.1 too fast")])) as (office, server):
        for _ in range(3):
            due(team)
        office.deliver([wake(digest) for digest in EmailDigest.objects.all()])
        assert server.accepted == []
        assert list(EmailDigest.objects.order_by("failures").values_list("failures", flat=True)) == [0, 0, 1]
        for _ in range(3):
            office.tick()
    assert len(server.accepted) == 3


def test_a_server_that_loses_every_answer_is_not_given_more_than_a_few_mails(team):
    with open_office(script(dot=repeat(DROP))) as (office, server):
        for _ in range(10):
            changed(team)
        office.deliver(office.claim())
    assert len(server.accepted) == LIMITS.breaker_outages
    assert EmailDigest.objects.filter(status=DigestStatus.WAITING).count() == 5


def test_the_stacker_claims_nothing_while_mail_is_stopped(team, redis_server, settings, monkeypatch):
    settings.LIMITS = replace(
        Limits(), breaker_probe=timedelta(hours=1), breaker_probe_max=timedelta(hours=1)
    )
    outbox = Outbox(AWAY, LETTERHEAD, settings.LIMITS)
    monkeypatch.setattr(actors, "OUTBOX", outbox)
    changed(team)
    outbox.breaker.note(Passage(), CONFIG, now=timezone.now())
    actors.stack_digests.fn()
    assert not EmailDigest.objects.exists()
    outbox.breaker.resume(now=timezone.now())
    actors.stack_digests.fn()
    assert EmailDigest.objects.count() == 1


def test_after_a_stop_a_tick_claims_no_more_than_there_is_room_for(team, redis_server, settings, monkeypatch):
    settings.LIMITS = replace(LIMITS, claim_batch=7)
    outbox = Outbox(AWAY, LETTERHEAD, settings.LIMITS)
    monkeypatch.setattr(actors, "OUTBOX", outbox)
    now = timezone.now()
    outbox.breaker.note(Passage(), CONFIG, now=now - MINUTE)
    outbox.breaker.note(outbox.breaker.admit(now=now), SENT, now=now)
    for _ in range(35):
        changed(team)
    actors.stack_digests.fn()
    assert EmailDigest.objects.count() == 30
