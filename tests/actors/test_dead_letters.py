"""Orders for dead letters, cut off in the middle."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import redis

from project.actors.dead_letters import carry_out, office
from project.actors.digests import send_digest
from project.demo.ports import HOST, free_port
from project.models import Order, RequeueAudit, Verb, Wake
from project.queue.client import connect
from project.queue.dead_letter import DeadLetter, Wanted
from project.queue.dead_letters import DeadLetters, Outcome
from tests.dead import broker, bury

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server")]

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
REQUEUE = Order(Verb.REQUEUE, "olga", "mail server is back", NOW)


def test_redis_that_goes_away_leaves_a_record_of_how_far_it_came(monkeypatch):
    bury(send_digest, [Wake(uuid4(), 1) for _ in range(3)])
    real = office()
    letters = list(real.search("mail", Wanted()))
    monkeypatch.setattr(broker(), "client", connect(f"redis://{HOST}:{free_port()}/0", timedelta(seconds=1)))
    cut_off = office()
    desks = iter([real, cut_off])

    def requeue(letter: DeadLetter) -> Outcome:
        return DeadLetters.requeue(next(desks), letter)

    monkeypatch.setattr(cut_off, "requeue", requeue)

    with pytest.raises(redis.ConnectionError):
        carry_out(cut_off, letters, REQUEUE, lambda: NOW)

    audit = RequeueAudit.objects.get()
    first, *rest = (audit.rows[f"mail/{letter.entry_id}"] for letter in letters)
    assert first.startswith("re-queued: ")
    assert rest == ["ordered", "ordered"]
    assert audit.counts == {"re-queued": 1}
    assert real.counts()["mail"] == 2


def test_what_is_gone_or_changed_meanwhile_is_reported():
    bury(send_digest, [Wake(uuid4(), 1) for _ in range(3)])
    desk = office()
    letters = list(desk.search("mail", Wanted()))
    gone, changed, _ = letters
    desk.discard(gone)
    broker().client.hset("dramatiq:mail.XQ.msgs", changed.entry_id, b"{}")

    outcomes = carry_out(desk, letters, REQUEUE, lambda: NOW)

    assert [(outcome.acts, outcome.word) for outcome in outcomes.values()] == [
        (False, "gone"),
        (False, "changed"),
        (True, "re-queued"),
    ]
    assert [letter.entry_id for letter in desk.search("mail", Wanted())] == [changed.entry_id]
