import time
from datetime import timedelta

import pytest
import redis
from dramatiq import ConnectionClosed
from dramatiq.brokers.redis import RedisBroker

from project.queue.client import connect
from tests.queue.conftest import working


def retries(client: redis.Redis) -> int:
    return client.connection_pool.make_connection().retry._retries


def test_stock_brokers_hide_different_numbers_of_retries(server):
    """And a repeated EVALSHA delivers one entry twice."""
    assert retries(RedisBroker(url=server.url()).client) == 0
    assert retries(RedisBroker(host="127.0.0.1", port=server.port).client) == 10


def test_a_client_of_ours_never_sends_twice(server):
    assert retries(connect(server.url(), timedelta(seconds=1))) == 0


def test_a_frozen_redis_costs_one_timeout(server, broker):
    """A web request that cannot enqueue leaves the row to the sweep; it must not hang."""
    broker.declare_queue("q")
    broker.do_qsize("q")  # a connection is open and the scripts are known
    server.pause()
    started = time.monotonic()
    with pytest.raises(ConnectionClosed):
        broker.do_qsize("q")
    assert time.monotonic() - started < 2 * broker.limits.enqueue_timeout.total_seconds()


def test_a_worker_is_more_patient_than_a_web_process(broker):
    web = broker.client
    with working(broker):
        assert broker.client is not web
        timeout = broker.client.connection_pool.make_connection().socket_timeout
    assert timeout == broker.limits.redis_timeout.total_seconds()
    assert (
        web.connection_pool.make_connection().socket_timeout == broker.limits.enqueue_timeout.total_seconds()
    )
