"""Faults of the mail server and of ours, one by one: what becomes of the digest, and what the server has."""

import ctypes
import logging
import threading
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from hashlib import sha256
from itertools import repeat

import pytest
from django.db import connection

from project.models import DigestStatus, EmailDigest, SuppressedAddress
from tests.factories import make_issue
from tests.services.digests.lines import NOW, only_digest
from tests.services.digests.office import MINUTE, due, open_office, wake
from tests.services.digests.sending import LIMITS, changed
from tests.smtp_script import DROP, HANG, OVER_LONG, Action, Then, reply, script

pytestmark = pytest.mark.django_db(transaction=True)
SENT, FAILED, ASSUMED = DigestStatus.SENT, DigestStatus.FAILED, DigestStatus.SENT_ASSUMED


def test_m1_a_receiver_that_is_put_off_is_tried_again_after_five_minutes(team):
    with open_office(script(rcpt=[reply("450 4.7.1 greylisted")])) as (office, server):
        digest = due(team)
        office.deliver([wake(digest)])
        put_off = only_digest()
        assert put_off.due_at - NOW >= 5 * MINUTE
        office.tick_until(put_off.due_at - timedelta(microseconds=1))
        assert server.accepted == []
        office.tick()
    row = only_digest()
    assert (row.status, row.attempt, row.generation, row.failures) == (SENT, 2, 1, 1)
    assert len(server.accepted) == 1


def test_m2_a_mailbox_that_does_not_exist_is_not_mailed_again(team):
    with open_office(script(rcpt=[reply("550 5.1.1 no such user")])) as (office, server):
        office.deliver([wake(due(team))])
        row = only_digest()
        assert (row.status, row.reason) == (FAILED, "receiver: rcpt 550 5.1.1")
        office.deliver([wake(second := due(team))])
    second.refresh_from_db()
    assert (second.status, second.reason) == (DigestStatus.SUPPRESSED, "suppressed_address")
    assert server.accepted == []


def test_m3_one_poisoned_mail_costs_itself_only(team):
    with open_office(script(dot=[reply("554 5.6.0 malformed")])) as (office, server):
        first, second = due(team), due(team)
        office.deliver([wake(first), wake(second)])
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.status, first.reason, first.dot_at) == (FAILED, "message: replied 554 5.6.0", None)
    assert second.status == SENT
    assert len(server.accepted) == 1


def test_m4_a_refused_login_charges_nobody_and_after_it_is_mended_each_mail_goes_out_once(team, caplog):
    receivers, issues = ("bob", "carl", "dora", "eve"), [make_issue(team) for _ in range(50)]
    for issue in issues:
        for receiver in receivers:
            changed(team, receiver=receiver, issue=issue)
    with open_office(script(auth=repeat(reply("535 5.7.8 bad credentials")))) as (office, server):
        refused = replace(server.address, username="tracker", password="old")
        office.move_to(refused)
        caplog.set_level(logging.WARNING, "project.services.digests")
        for _ in range(15):
            office.tick()
        assert EmailDigest.objects.filter(status=DigestStatus.WAITING, failures=0).count() == 200
        assert [r.levelname for r in caplog.records] == ["ERROR"]
        logins = [command for command in server.commands if command.startswith("AUTH")]
        assert len(logins) <= 7  # one that failed and the probes of a quarter of an hour

        server.behave = script()
        office.move_to(replace(refused, password="new"))
        sent = []
        while EmailDigest.objects.exclude(status=SENT).exists():
            office.tick()
            sent.append(len(server.accepted) - sum(sent))
            assert len(sent) < 10
    assert sent[0] == 2  # the probe, and the first of those that waited for it
    assert all(after <= 60 * 2**minute for minute, after in enumerate(sent))
    assert len({mail.content for mail in server.accepted}) == len(server.accepted) == 200
    assert EmailDigest.objects.filter(status=SENT, failures=0).count() == 200


def test_m5_a_connection_that_drops_after_mail_is_made_again_at_once(team):
    with open_office(script(mail=[DROP])) as (office, server):
        office.deliver([wake(due(team))])
    assert (only_digest().status, only_digest().attempt) == (SENT, 1)
    assert (len(server.accepted), server.connections) == (1, 2)


def test_m6_a_lost_answer_is_taken_for_a_yes(team):
    with open_office(script(dot=[DROP])) as (office, server):
        office.deliver([wake(due(team))])
        office.tick_until(NOW + LIMITS.fence_patience + MINUTE)
    row = only_digest()
    assert (row.status, row.reason) == (ASSUMED, "lost_reply: dot no connection")
    assert len(server.accepted) == 1


def test_m7_an_urgent_mail_whose_answer_got_lost_is_sent_once_more_byte_for_byte(team):
    with open_office(script(dot=[DROP])) as (office, server):
        office.deliver([wake(due(team, urgent=True))])
        office.tick_until(NOW + LIMITS.fence_patience - MINUTE)
        assert len(server.accepted) == 1
        office.tick_until(NOW + LIMITS.fence_patience + MINUTE)
    row = only_digest()
    assert (row.status, row.generation) == (SENT, 1)
    assert [sha256(m.content).hexdigest() for m in server.accepted] == [row.content_sha256] * 2


def test_m11_a_goodbye_that_goes_wrong_changes_nothing(team):
    with open_office(script(quit=[OVER_LONG])) as (office, server):
        office.deliver([wake(due(team))])
        office.outbox.connections.close()
    assert only_digest().status == SENT
    assert len(server.accepted) == 1


def test_m12_a_connection_that_the_server_closed_while_idle_is_made_again(team):
    with open_office(script(dot=[reply("250 2.0.0 queued", then=Then.CLOSE)])) as (office, server):
        office.deliver([wake(due(team)), wake(due(team))])
    assert list(EmailDigest.objects.values_list("status", "attempt")) == [(SENT, 1)] * 2
    assert (len(server.accepted), server.connections) == (2, 2)


@pytest.mark.parametrize("title", ["🚀" * 255, "שלום " * 51, "x" * 255])
def test_m13_a_title_of_any_length_and_script_is_sent_with_a_short_subject(team, title):
    with open_office() as (office, server):
        changed(team, issue=make_issue(team, name=title))
        office.deliver(office.claim())
    row = only_digest()
    assert row.status == SENT
    assert len(message_from_bytes(server.accepted[0].content, policy=policy.default)["Subject"]) <= 150


def test_m14_a_refusal_of_our_authentication_stops_mail_and_suppresses_nobody(team):
    with open_office(script(dot=repeat(reply("550 5.7.26 unauthenticated")))) as (office, server):
        for _ in range(30):
            changed(team)
        office.deliver(office.claim())
        assert office.breaker.state().cause == "almost all mail is refused by policy: replied 550 5.7.26"
    assert server.commands.count("DATA") == 20
    assert EmailDigest.objects.filter(status=DigestStatus.WAITING).count() == 30
    assert not SuppressedAddress.objects.exists()
    assert server.accepted == []


def test_m15_the_same_message_again_finds_nothing_to_do(team):
    with open_office() as (office, server):
        first = wake(due(team))
        office.deliver([first, first])
    assert only_digest().attempt == 1
    assert len(server.accepted) == 1


def test_m16_a_worker_that_is_stopped_while_it_waits_for_the_answer_leaves_no_doubt_unsaid(team):
    class Shutdown(BaseException):
        """Like dramatiq's: raised from outside, between two bytecodes, and not an Exception."""

    waiting, ended_by = threading.Event(), []

    def hang_there(stage: str, recipient: str) -> Action | None:
        if stage == "dot":
            waiting.set()
            return HANG
        return None

    def work() -> None:
        try:
            office.deliver([wake(digest)])
        except BaseException as error:
            ended_by.append(type(error))
        connection.close()

    with open_office(hang_there, replace(LIMITS, smtp_dot=timedelta(seconds=0.3))) as (office, server):
        digest = due(team, urgent=True)
        worker = threading.Thread(target=work)
        worker.start()
        assert waiting.wait(5)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(worker.ident), ctypes.py_object(Shutdown))
        worker.join(5)
    row = only_digest()
    assert ended_by == [Shutdown]
    assert (row.status, row.reason) == (ASSUMED, "interrupted: dot interrupted")
    assert len(server.accepted) == 1


def test_m17_the_answer_to_the_dot_has_a_patience_of_its_own(team):
    short = timedelta(seconds=0.2)
    limits = replace(LIMITS, smtp_connect=short, smtp_command=short, smtp_data=short)
    with open_office(script(dot=[reply("250 2.0.0 queued", after=0.6)]), limits) as (office, server):
        office.deliver([wake(due(team))])
    assert only_digest().status == SENT
    assert len(server.accepted) == 1
