"""How long work lay between a delivery that never ended and the next one is measured."""

import time
from uuid import uuid4

from project.queue import actor, metrics
from project.queue.client import connect
from project.queue.ledger import Ledger, Verdict
from project.queue.measures import TAKE_OVERS
from project.queue.metrics import everything
from project.queue.names import message_id
from tests.queue.conftest import eventually, working

ROW = str(uuid4())


def test_the_claim_after_a_lost_one_tells_since_when_that_was(configure, server):
    limits = configure(lease=0.3, redis_timeout=0.3)
    with connect(server.url(1), limits.redis_timeout) as client:
        ledger = Ledger(client, limits)
        assert ledger.claim("m", "one").since == 0
        assert ledger.claim("m", "one").since == 0  # the same again
        time.sleep(0.4)
        answer = ledger.claim("m", "two")
    assert (answer.verdict, answer.number) == (Verdict.CLAIMED, 2)
    assert 400 <= answer.since < 3000


def test_a_take_over_is_counted_with_its_time(configure, make_broker, server):
    limits, broker = configure(lease=0.3, redis_timeout=0.3), make_broker()
    metrics._counts.clear()
    job = actor(queue_name="q", broker=broker)(_do_nothing)
    with connect(server.url(1), limits.redis_timeout) as client:
        Ledger(client, limits).claim(message_id(job.actor_name, ROW, 1), "of a worker that was killed")
    with working(broker):
        job.send(ROW, 1)
        eventually(lambda: "q" in TAKE_OVERS.read(everything(broker.client)))
        found = TAKE_OVERS.read(everything(broker.client))["q"]
    assert found.buckets[-1] == ("+Inf", 1)
    assert 0.3 <= found.total < 10


def _do_nothing(row_id: str, dispatch: int) -> None:
    """It is enough that it is run."""
