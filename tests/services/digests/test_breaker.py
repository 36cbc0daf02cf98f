"""When mail stops and when it flows again."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from uuid import uuid4

import pytest
from django.db import connection

from project.mail_server import Mailbox, MailServer
from project.models import DigestStatus, EmailDigest, MailFailure
from project.services.digests.breaker import Breaker, Passage
from tests.factories import Team
from tests.services.digests.lines import NOW
from tests.services.digests.sending import LIMITS
from tests.services.digests.verdicts import (
    BARE,
    CONFIG,
    DENIED,
    FULL,
    GREYLISTED,
    LOST_REPLY,
    OUTAGE,
    POISON,
    SENT,
    SESSION,
    SPAM,
    THROTTLED,
    UNKNOWN,
)

pytestmark = pytest.mark.django_db(transaction=True)
SERVER = MailServer(host="smtp.example.org", port=587, username="tracker", password="old")
SENDER = Mailbox("Tracker", "notify@example.org")
SECOND = timedelta(seconds=1)
FLOWS = Passage()


@pytest.fixture
def breaker() -> Breaker:
    return Breaker(SERVER, SENDER, LIMITS)


def waiting(team: Team, **fields) -> EmailDigest:
    return EmailDigest.objects.create(
        id=uuid4(), receiver=team.members["bob"], due_at=NOW, **{"awaits_breaker": True, **fields}
    )


def was_sent(team: Team, at) -> None:
    waiting(team, status=DigestStatus.SENT, sealed_at=at, content=b"x", dot_at=at, ended_at=at)


def at_once(work: Callable[[int], object], times: int = 8) -> list[object]:
    start = threading.Barrier(times)

    def one(number: int) -> object:
        start.wait(10)
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(times) as pool:
        return list(pool.map(one, range(times)))


def test_mail_flows_at_first(breaker):
    assert breaker.admit(now=NOW) == FLOWS
    assert breaker.room(now=NOW) == LIMITS.claim_batch * LIMITS.claim_rounds
    assert breaker.state().stopped_at is None
    assert breaker.candidate(now=NOW) == []


def test_a_refused_configuration_stops_mail_at_once_and_says_so_once(breaker, caplog):
    breaker.note(FLOWS, CONFIG, now=NOW)
    breaker.note(FLOWS, CONFIG, now=NOW + SECOND)
    assert [(r.levelname, r.message) for r in caplog.records] == [
        ("ERROR", "mail is stopped: config: auth 535 5.7.8")
    ]
    assert breaker.admit(now=NOW + SECOND) is None
    assert breaker.room(now=NOW + SECOND) == 0
    state = breaker.state()
    assert (state.stopped_at, state.cause, state.probe_at) == (
        NOW, "config: auth 535 5.7.8", NOW + LIMITS.breaker_probe,
    )  # fmt: skip


def test_a_server_that_asks_for_less_gets_a_pause_and_nobody_is_alarmed(breaker, caplog):
    breaker.note(FLOWS, THROTTLED, now=NOW)
    assert [r.levelname for r in caplog.records] == ["WARNING"]
    assert breaker.admit(now=NOW) is None


@pytest.mark.parametrize(
    ("verdicts", "every", "stops"),
    [
        ([OUTAGE] * 5, 15, True),
        ([OUTAGE, SESSION, LOST_REPLY, OUTAGE, SESSION], 1, True),
        ([OUTAGE] * 4, 1, False),
        ([OUTAGE] * 5, 16, False),  # not within a minute
        ([OUTAGE, OUTAGE, SENT, OUTAGE, OUTAGE, OUTAGE], 1, False),
        ([OUTAGE, OUTAGE, SENT, *[OUTAGE] * 5], 1, True),
        ([GREYLISTED] * 30, 1, False),
        ([POISON] * 30, 1, False),
        ([FULL] * 30, 1, False),
        ([SPAM] * 19, 1, False),
        ([SPAM] * 20, 1, True),
        ([SPAM] * 20, 16, False),  # not within five minutes
        ([*[SENT] * 2, *[SPAM] * 20], 1, True),
        ([*[SENT] * 3, *[SPAM] * 20], 1, False),  # more than a tenth got through
        ([DENIED] * 30, 1, False),  # one domain
    ],
)
def test_what_stops_mail(breaker, team, verdicts, every, stops):
    for n, verdict in enumerate(verdicts):
        now = NOW + n * every * SECOND
        if verdict is SENT:
            was_sent(team, now)
        breaker.note(FLOWS, verdict, now=now)
    assert (breaker.state().stopped_at is not None) == stops
    assert MailFailure.objects.count() <= 30


def test_of_many_workers_one_stops_mail(breaker, caplog):
    at_once(lambda _: breaker.note(FLOWS, OUTAGE, now=NOW))
    assert breaker.state().stopped_at == NOW
    assert [r.levelname for r in caplog.records] == ["ERROR"]


def test_of_many_workers_one_gets_the_probe(breaker):
    breaker.note(FLOWS, CONFIG, now=NOW)
    later = NOW + LIMITS.breaker_probe
    passages = at_once(lambda _: breaker.admit(now=later))
    assert sorted(map(str, passages)) == [*["None"] * 7, str(Passage(NOW))]


def test_probes_become_rare_and_one_that_is_lost_stops_nothing(breaker):
    breaker.note(FLOWS, CONFIG, now=NOW)
    moments = [NOW + n * 10 * SECOND for n in range(6 * 40)]
    probes = [NOW, *(now for now in moments if breaker.admit(now=now))]
    waits = [(later - earlier).total_seconds() for earlier, later in pairwise(probes)]
    assert waits == [30, 60, 120, 240, 480, 600, 600]


@pytest.mark.parametrize("verdict", [CONFIG, OUTAGE, SESSION, LOST_REPLY, SPAM, THROTTLED])
def test_a_probe_that_fails_leaves_mail_stopped_until_the_next(breaker, verdict):
    breaker.note(FLOWS, CONFIG, now=NOW)
    first = NOW + LIMITS.breaker_probe
    breaker.note(breaker.admit(now=first), verdict, now=first + SECOND)
    assert breaker.state().probe_at == first + 2 * LIMITS.breaker_probe


@pytest.mark.parametrize("verdict", [None, UNKNOWN, FULL, GREYLISTED, POISON, BARE, DENIED])
def test_a_probe_that_tells_nothing_about_the_sender_is_followed_by_the_next(breaker, verdict):
    breaker.note(FLOWS, CONFIG, now=NOW)
    first = NOW + LIMITS.breaker_probe
    breaker.note(breaker.admit(now=first), verdict, now=first + SECOND)
    assert breaker.state().stopped_at == NOW
    assert breaker.admit(now=first + SECOND) == Passage(NOW)


def test_a_probe_that_is_sent_lets_mail_flow(breaker):
    breaker.note(FLOWS, CONFIG, now=NOW)
    later = NOW + LIMITS.breaker_probe
    breaker.note(breaker.admit(now=later), SENT, now=later)
    assert breaker.admit(now=later) == FLOWS
    assert breaker.state().flows_since == later


def test_only_a_probe_of_this_stop_ends_it(breaker):
    breaker.note(FLOWS, CONFIG, now=NOW)
    probe = breaker.admit(now=NOW + LIMITS.breaker_probe)
    breaker.note(FLOWS, SENT, now=NOW + SECOND)  # was under way when mail was stopped
    assert breaker.state().stopped_at == NOW
    breaker.note(probe, SENT, now=NOW + timedelta(minutes=1))
    breaker.note(FLOWS, CONFIG, now=NOW + timedelta(minutes=2))
    breaker.note(probe, SENT, now=NOW + timedelta(minutes=3))
    assert breaker.state().stopped_at == NOW + timedelta(minutes=2)


def test_refusals_from_before_the_last_stop_do_not_stop_mail_again(breaker):
    for _ in range(20):
        breaker.note(FLOWS, SPAM, now=NOW)
    later = NOW + LIMITS.breaker_probe
    breaker.note(breaker.admit(now=later), SENT, now=later)
    breaker.note(FLOWS, SPAM, now=later + SECOND)
    assert breaker.state().stopped_at is None


def test_another_configuration_is_probed_at_once_and_a_first_one_just_flows(breaker):
    assert breaker.admit(now=NOW) == FLOWS
    breaker.note(FLOWS, CONFIG, now=NOW)
    changes = (replace(SERVER, password="new"), replace(SERVER, host="mx.example.org"))
    for server in changes:
        mended = Breaker(server, SENDER, LIMITS)
        later = NOW + SECOND
        assert mended.room(now=later) == 1
        assert mended.admit(now=later) == Passage(later)
        assert mended.admit(now=later) is None
    assert breaker.admit(now=NOW + SECOND) is None


def test_the_name_of_a_configuration_shows_nothing_of_it(breaker):
    assert "old" not in breaker.sender
    assert len({breaker.sender, Breaker(SERVER, Mailbox("", "other@example.org"), LIMITS).sender}) == 2


def test_an_operator_can_have_it_probed_at_the_next_tick(breaker, team):
    assert not breaker.resume(now=NOW)
    breaker.note(FLOWS, CONFIG, now=NOW)
    waiting(team)
    assert breaker.candidate(now=NOW) == []
    assert breaker.resume(now=NOW)
    assert len(breaker.candidate(now=NOW)) == 1
    assert breaker.admit(now=NOW) == Passage(NOW)


def test_the_digest_that_waits_longest_is_probed_with_and_a_new_one_only_if_none_waits(breaker, team):
    breaker.note(FLOWS, CONFIG, now=NOW)
    later = NOW + LIMITS.breaker_probe
    assert (breaker.candidate(now=later), breaker.room(now=later)) == ([], 1)
    waiting(team, awaits_breaker=False)
    second = waiting(team, dispatch=4)
    second.due_at += SECOND
    second.save()
    first = waiting(team, dispatch=3)
    assert breaker.candidate(now=later) == [(first.id, 3)]
    assert breaker.room(now=later) == 0
    assert breaker.state().waiting == 2


def test_after_a_stop_mail_begins_at_one_a_second_and_doubles_each_minute(breaker, team):
    for _ in range(100):
        waiting(team)
    own_time = waiting(team, awaits_breaker=False)
    breaker.note(FLOWS, CONFIG, now=NOW)
    end = NOW + LIMITS.breaker_probe
    breaker.note(breaker.admit(now=end), SENT, now=end)
    due = sorted(EmailDigest.objects.filter(awaits_breaker=True).values_list("due_at", flat=True))
    assert due[0] == end
    in_minute = [sum(end + m * LIMITS.breaker_ramp <= at < end + (m + 1) * LIMITS.breaker_ramp for at in due)
                 for m in range(2)]  # fmt: skip
    assert in_minute == [44, 56]  # half a mail a second, over the minute three quarters
    own_time.refresh_from_db()
    assert own_time.due_at == NOW
    rooms = [breaker.room(now=end + m * LIMITS.breaker_ramp) for m in (0, 1, 2, 5, 10_000)]
    assert rooms == [30, 60, 120, 960, LIMITS.claim_batch * LIMITS.claim_rounds]
