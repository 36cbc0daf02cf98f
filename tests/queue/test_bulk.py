from uuid import uuid4

import pytest
from dramatiq import ConnectionClosed
from dramatiq.middleware import Middleware

from project.queue import actor, send_all
from tests.queue.conftest import eventually, working
from tests.queue.test_dedup import Job, empty

ROW = str(uuid4())


class Hooks(Middleware):
    def __init__(self):
        self.before, self.after = [], []

    def before_enqueue(self, broker, message, delay):
        self.before.append(message.message_id)

    def after_enqueue(self, broker, message, delay):
        self.after.append(message.message_id)


def test_all_are_sent_in_order_with_their_hooks(make_broker):
    hooks = Hooks()
    broker = make_broker([hooks])
    job = Job(broker)
    messages = [job.actor.message(ROW, dispatch) for dispatch in range(1201)]
    send_all(messages)
    assert hooks.before == hooks.after == [m.message_id for m in messages]
    consumer = broker.consume("q", prefetch=2000, timeout=10)
    assert [next(consumer).args[1] for _ in messages] == list(range(1201))


def test_they_may_belong_to_several_queues(broker):
    job = Job(broker)
    other = []

    @actor(queue_name="r", broker=broker)
    def another(row_id: str, dispatch: int) -> None:
        other.append(dispatch)

    send_all([job.actor.message(ROW, 1), another.message(ROW, 1)])
    with working(broker):
        eventually(lambda: job.runs == 1 and other == [1])


def test_nothing_is_sent_for_nothing(broker):
    send_all([])


def test_a_bulk_that_failed_is_sent_again_and_runs_once(broker, server):
    job = Job(broker)
    messages = [job.actor.message(ROW, dispatch) for dispatch in range(10)]
    send_all(messages[:5])
    server.kill()
    with pytest.raises(ConnectionClosed):
        send_all(messages)
    server.start()
    send_all(messages)
    with working(broker):
        eventually(lambda: empty(broker))
    assert job.runs == 10
