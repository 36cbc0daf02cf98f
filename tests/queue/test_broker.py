import json
import threading
import time
from uuid import uuid4

import dramatiq
import pytest
import redis
from dramatiq import ConnectionClosed
from dramatiq.common import current_millis

from project.queue.broker import _on_server_clock
from project.queue.metrics import Counted
from tests.queue.conftest import eventually, working
from tests.queue.test_dedup import Job, counted, empty, letters

ROW = str(uuid4())


def booked(client: redis.Redis, broker, queue: str = "q") -> int:
    return client.scard(f"dramatiq:__acks__.{broker.broker_id}.{queue}")


def fetch_one(broker, queue="q"):
    """Take a message as a worker would, and then say nothing more."""
    return next(broker.consume(queue, prefetch=1, timeout=10))


# --- Errors -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["enqueue", "fetch", "ack", "nack", "requeue", "maintain"])
def test_a_redis_that_is_full_looks_like_a_closed_connection(broker, server, command):
    with server.client() as client:
        broker.do_qsize("q")
        client.config_set("maxmemory", 1)
        try:
            with pytest.raises(ConnectionClosed, match="maxmemory"):
                getattr(broker, f"do_{command}")("q", "1", "body")
        finally:
            client.config_set("maxmemory", 0)


def test_work_goes_on_when_a_full_redis_has_room_again(broker, server):
    """The stock worker calls such a reply a bug and leaves the message unacknowledged until its restart."""
    job = Job(broker)
    job.go.clear()
    with working(broker), server.client() as client:
        job.actor.send(ROW, 1)
        eventually(lambda: job.together == 1)
        client.config_set("maxmemory", 1)
        job.go.set()
        eventually(lambda: job.runs == 1)
        time.sleep(0.5)
        client.config_set("maxmemory", 0)
        eventually(lambda: empty(broker))
    assert job.runs == 1


# --- Clock and maintenance ----------------------------------------------------------------------------------


def run_maintenance_on_a_fast_host(monkeypatch, make, maintain) -> bool:
    """Whether a host whose clock is an hour ahead takes a message away from a worker that is alive."""
    alive, ahead = make(), make()
    for broker in (alive, ahead):
        broker.declare_queue("q")
    alive.do_enqueue("q", "1", "body")
    alive.do_fetch("q", 1)
    monkeypatch.setattr("dramatiq.brokers.redis.current_millis", lambda: current_millis() + 3600_000)
    maintain(ahead)
    return booked(alive.client, alive) == 0


def test_a_stock_host_ahead_of_time_takes_messages_from_the_living(monkeypatch, make_stock):
    assert run_maintenance_on_a_fast_host(
        monkeypatch, lambda: make_stock(maintenance_chance=1_000_000), lambda broker: broker.do_qsize("q")
    )


def test_ours_goes_by_the_clock_of_redis(monkeypatch, make_broker):
    assert not run_maintenance_on_a_fast_host(
        monkeypatch, lambda: make_broker([]), lambda broker: broker.do_maintain("q")
    )


def test_another_dispatch_script_is_refused():
    with pytest.raises(RuntimeError, match="review"):
        _on_server_clock(b"local timestamp = redis.call('time')[1]\n")


def test_a_silent_worker_s_messages_are_taken_over_in_time(make_broker):
    dead, alive = make_broker(), make_broker()
    Job(dead).actor.send(ROW, 1)
    assert fetch_one(dead).args == (ROW, 1)
    job = Job(alive)
    died = time.monotonic()
    with working(alive):
        eventually(lambda: job.runs == 1)
    limits = alive.limits
    longest = limits.heartbeat_timeout + 3 * limits.maintenance_every
    assert limits.heartbeat_timeout.total_seconds() - 0.5 < time.monotonic() - died
    assert time.monotonic() - died < longest.total_seconds() + 1


def test_a_worker_with_no_room_for_more_still_beats(broker):
    """Its consumers do not fetch then, and only commands are heartbeats."""
    job = Job(broker)
    job.go.clear()
    with working(broker, threads=1):
        for dispatch in range(4):
            job.actor.send(ROW, dispatch)
        eventually(lambda: job.together == 1)
        before = broker.client.zscore("dramatiq:__heartbeats__", broker.broker_id)
        time.sleep(1)
        assert broker.client.zscore("dramatiq:__heartbeats__", broker.broker_id) - before > 500
        job.go.set()


# --- Bodies -------------------------------------------------------------------------------------------------


def test_an_id_without_a_body_is_forgotten(broker):
    job = Job(broker)
    broker.client.rpush("dramatiq:q", "nothing")
    with working(broker):
        job.actor.send(ROW, 1)
        eventually(lambda: job.runs == 1 and empty(broker))


@pytest.mark.parametrize(
    "body",
    [
        b"\x80 not text",
        b"[]",
        b"{}",
        json.dumps(
            {"queue_name": "q", "actor_name": "job", "args": [], "kwargs": {}, "options": {}}
        ).encode(),
        json.dumps(
            {
                "queue_name": "q",
                "actor_name": "job",
                "args": [ROW, 9],
                "kwargs": {},
                "options": {"redis_message_id": "another"},
            }
        ).encode(),
    ],
    ids=["bytes", "list", "empty", "no id", "another id"],
)
def test_an_unreadable_body_is_buried_as_it_is_and_the_queue_goes_on(broker, body):
    job = Job(broker)
    broker.do_enqueue("q", "bad", body)
    with working(broker):
        job.actor.send(ROW, 1)
        eventually(lambda: letters(broker))
        eventually(lambda: job.runs >= 1 and empty(broker))
    [letter] = letters(broker)
    assert (letter.entry_id, letter.body) == ("bad", body)


def test_a_message_for_an_unknown_actor_is_a_dead_letter(broker):
    Job(broker)
    broker.enqueue(dramatiq.Message(queue_name="q", actor_name="gone", args=(), kwargs={}, options={}))
    with working(broker):
        eventually(lambda: letters(broker))
    [letter] = letters(broker)
    assert (letter.reason, letter.error, letter.attempts) == ("unknown actor", "ActorNotFound: gone", 0)


# --- Orphans ------------------------------------------------------------------------------------------------


def test_a_fetch_whose_reply_was_lost_is_delivered_again(broker):
    """A timeout is enough: Redis has booked the message to a process that knows nothing of it."""
    job = Job(broker)
    with working(broker):
        job.actor.send(ROW, 0)
        eventually(lambda: empty(broker))
        message = job.actor.message(ROW, 1).copy(options={"redis_message_id": "lost"})
        broker.client.hset("dramatiq:q.msgs", "lost", message.encode())
        broker.client.sadd(f"dramatiq:__acks__.{broker.broker_id}.q", "lost")
        eventually(lambda: job.runs == 2)
        eventually(lambda: counted(broker, Counted.ORPHANS_REQUEUED) == 1)


def test_what_is_held_is_no_orphan(broker):
    job = Job(broker)
    job.go.clear()
    with working(broker, threads=1):
        job.actor.send_with_options(args=(ROW, 0), delay=1000)
        for dispatch in (1, 2):
            job.actor.send(ROW, dispatch)
        eventually(lambda: job.together == 1)
        time.sleep(4 * broker.limits.maintenance_every.total_seconds())
        job.go.set()
        eventually(lambda: empty(broker))
    assert counted(broker, Counted.ORPHANS_REQUEUED) == 0
    assert (job.runs, job.most_together) == (3, 1)


def test_an_entry_that_comes_back_while_it_is_held_is_handed_out_once(make_broker):
    """As after a stall in which this process seemed dead to another one."""
    broker = make_broker([])
    Job(
        broker,
    ).actor.send(ROW, 1)
    consumer = broker.consume("q", prefetch=2, timeout=10)
    held = next(consumer)
    broker.client.rpush("dramatiq:q", held.options["redis_message_id"])
    assert next(consumer) is None
    consumer.ack(held)
    assert empty(broker)


def test_a_stopped_worker_leaves_nothing_booked(broker):
    job = Job(broker)
    job.go.clear()
    threading.Timer(0.5, job.go.set).start()
    with working(broker, threads=1):
        for dispatch in range(50):
            job.actor.send(ROW, dispatch)
        job.actor.send_with_options(args=(ROW, 99), delay=60_000)
        eventually(lambda: job.together == 1)
    assert booked(broker.client, broker) == booked(broker.client, broker, "q.DQ") == 0
    assert broker.client.llen("dramatiq:q") + broker.client.llen("dramatiq:q.DQ") + job.runs == 51
