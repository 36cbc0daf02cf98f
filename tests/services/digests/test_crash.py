"""Senders are killed, and each mail is sent once all the same."""

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass

import pytest
from django.db import connection
from django.utils import timezone

from project.demo.effects import EffectLog
from project.models import DigestStatus, EmailDigest, EmailNotificationLog
from project.services.digests.claim import claim
from project.services.digests.settle import CRASHED, settle_unanswered
from tests.factories import Team
from tests.scripted_smtp import running
from tests.services.digests.lines import only_digest
from tests.services.digests.nursery import nursery
from tests.services.digests.office import open_wakes
from tests.services.digests.sending import LIMITS, changed
from tests.services.digests.slow_server import slowly
from tests.smtp_script import HANG, Action

pytestmark = pytest.mark.django_db(transaction=True)
SENT, ASSUMED = DigestStatus.SENT, DigestStatus.SENT_ASSUMED


def claim_all(team: Team, mails: int) -> None:
    for number in range(mails):
        changed(team, receiver=("bob", "carl", "dora", "eve")[number % 4])
    EmailNotificationLog.objects.update(created_at=timezone.now() - LIMITS.window_cap)
    assert len(claim(now=timezone.now(), limits=LIMITS)) == mails


def settle() -> None:
    """Let so much time pass that nobody can still be waiting for an answer."""
    settle_unanswered(now=timezone.now() + LIMITS.fence_patience, limits=LIMITS)


@dataclass
class Tally:
    """What the experiment came to; `assumed` and how many of these had been accepted."""

    kills: int = 0
    copies: int = 0
    twice: int = 0
    lost: int = 0
    assumed: int = 0
    accepted: int = 0


def kill_at_random(team: Team, log: EffectLog, *, mails: int, dice: random.Random) -> Tally:
    claim_all(team, mails)
    tally = Tally()
    with running(slowly, effects=log) as server, nursery(server.address, connection.settings_dict) as nest:
        while open_wakes():
            sender = nest.fork()
            time.sleep(dice.uniform(0.1, 0.5))
            tally.kills += nest.kill(sender)
    settle()
    by_message_id = Counter(effect.message_id for effect in log.read())
    copies = {d.status: [] for d in EmailDigest.objects.all()}
    for digest in EmailDigest.objects.all():
        copies[digest.status].append(by_message_id.pop(digest.message_id, 0))
    assert not by_message_id
    tally.copies = sum(map(sum, copies.values()))
    tally.twice = sum(n > 1 for counts in copies.values() for n in counts)
    tally.assumed, tally.accepted = len(copies.get(ASSUMED, [])), sum(copies.get(ASSUMED, []))
    tally.lost = mails - len(copies.get(SENT, [])) - tally.assumed + copies.get(SENT, []).count(0)
    return tally


def test_of_mails_whose_senders_are_killed_at_random_none_is_lost_and_none_is_sent_twice(team, tmp_path):
    log = EffectLog(tmp_path / "effects.jsonl")
    tally = kill_at_random(team, log, mails=40, dice=random.Random(20260310))
    assert (tally.twice, tally.lost) == (0, 0)
    assert tally.kills >= 5
    assert set(EmailDigest.objects.filter(status=ASSUMED).values_list("reason", flat=True)) <= {CRASHED}


@pytest.mark.parametrize("stage", ["mail", "data"])
def test_m8_who_is_killed_before_the_fence_sent_nothing_and_is_replaced(team, stage):
    server = kill_at(team, stage)
    row = only_digest()
    assert (row.status, row.attempt) == (SENT, 2)
    assert len(server.accepted) == 1


def test_m9_who_is_killed_behind_it_is_taken_to_have_sent(team):
    server = kill_at(team, "dot")
    row = only_digest()
    assert (row.status, row.attempt, row.reason) == (ASSUMED, 1, CRASHED)
    assert row.reason.startswith("crash: ")
    assert len(server.accepted) == 1


def kill_at(team: Team, fatal: str):
    """Kill a sender when its mail has come to a stage; then let another one work."""
    reached = threading.Event()

    def hang_once(stage: str, recipient: str) -> Action | None:
        if stage == fatal and not reached.is_set():
            reached.set()
            return HANG
        return None

    claim_all(team, 1)
    with running(hang_once) as server, nursery(server.address, connection.settings_dict) as nest:
        sender = nest.fork()
        assert reached.wait(10)
        assert nest.kill(sender)
        nest.fork()
        assert nest.wait() == 0
    settle()
    return server
