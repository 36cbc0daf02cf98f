"""Delayed messages, to which retries belong, across an outage of Redis."""

import time
from uuid import uuid4

import dramatiq
import pytest

from tests.queue.conftest import eventually, working
from tests.queue.test_dedup import Job, empty

ROW = str(uuid4())


def outage_as_delays_end(server, worker) -> None:
    """Kill Redis while delayed messages are in the worker's memory, until after their time has come."""
    eventually(lambda: len(worker.consumers["q.DQ"].delay_queue.queue) == 20)
    server.kill()
    time.sleep(1)
    server.start()


@pytest.fixture(params=[20, 2000], ids=["full", "with room"])
def prefetch(request, monkeypatch) -> int:
    """With a full memory the consumer's first failing command is an enqueue, otherwise it is a fetch."""
    monkeypatch.setattr("dramatiq.worker.DELAY_QUEUE_PREFETCH", request.param)
    return request.param


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_stock_broker_strands_delayed_messages(server, make_stock, prefetch):
    """Its consumer's thread dies, or it forgets what it had in memory, where nobody else may look for it."""
    broker = make_stock(maintenance_chance=1_000_000)
    runs = []

    @dramatiq.actor(queue_name="q", broker=broker)
    def job(number: int) -> None:
        runs.append(number)

    with working(broker) as worker:
        for number in range(20):
            job.send_with_options(args=(number,), delay=800)
        outage_as_delays_end(server, worker)
        time.sleep(0.5)
        assert worker.consumers["q.DQ"].is_alive() == (prefetch > 20)
        assert runs == []
        assert broker.client.scard(f"dramatiq:__acks__.{broker.broker_id}.q.DQ") == 20


def test_ours_runs_them_all(server, broker, prefetch):
    job = Job(broker)
    with working(broker) as worker:
        for dispatch in range(20):
            job.actor.send_with_options(args=(ROW, dispatch), delay=800)
        outage_as_delays_end(server, worker)
        eventually(lambda: job.runs == 20 and empty(broker))
        assert all(thread.is_alive() for thread in worker.consumers.values())


def test_a_frozen_redis_costs_time_only(server, broker):
    job = Job(broker)
    with working(broker):
        for dispatch in range(20):
            job.actor.send_with_options(args=(ROW, dispatch), delay=dispatch * 50)
        server.pause()
        time.sleep(broker.limits.redis_timeout.total_seconds() * 1.5)
        server.resume()
        eventually(lambda: job.runs == 20 and empty(broker))


def test_work_that_ends_during_an_outage_is_done_and_not_done_again(server, broker):
    job = Job(broker)
    job.go.clear()
    with working(broker):
        job.actor.send(ROW, 1)
        eventually(lambda: job.together == 1)
        server.kill()
        job.go.set()
        eventually(lambda: job.runs == 1)
        time.sleep(broker.limits.lease.total_seconds())
        server.start()
        eventually(lambda: empty(broker))
        job.actor.send(ROW, 1)
        eventually(lambda: empty(broker))
    assert job.runs == 1


def test_an_emptied_redis_takes_new_work(server, broker):
    job = Job(broker)
    with working(broker):
        job.actor.send(ROW, 1)
        eventually(lambda: job.runs == 1)
        server.wipe()
        job.actor.send(ROW, 2)
        eventually(lambda: job.runs == 2 and empty(broker))
