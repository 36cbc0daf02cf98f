"""A private server, a broker on it with short limits, and workers in this process."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import dramatiq
import pytest
from django.conf import settings
from django_dramatiq.utils import load_middleware
from dramatiq import Worker
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import Middleware, TimeLimit

from project.limits import Limits
from project.queue.broker import HardenedRedisBroker
from project.queue.dedup import Dedup
from tests.queue.limits import short
from tests.queue.server import RedisServer


@pytest.fixture(scope="package")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def server(shared_server: RedisServer) -> Iterator[RedisServer]:
    """Empty and running, whatever the test before did to it."""
    with shared_server.client() as client:
        client.flushall()
    yield shared_server
    if shared_server.process is None:
        shared_server.start()
    shared_server.resume()


@pytest.fixture(autouse=True)
def brisk_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dramatiq.worker.CONSUMER_RESTART_DELAY_SECS", 0.1)
    monkeypatch.setattr("dramatiq.worker.POST_PROCESS_MESSAGE_RETRY_DELAY_SECS", 0.2)


@pytest.fixture
def configure(server: RedisServer, settings) -> Callable[..., Limits]:
    """Point the settings at the private server; called again, changes the limits."""

    def apply(**changes: float | int) -> Limits:
        settings.REDIS_URL = server.url(0)
        settings.DEDUP_REDIS_URL = server.url(1)
        settings.LIMITS = short(**changes)
        return settings.LIMITS

    apply()
    return apply


def stack() -> list[Middleware]:
    """The settings' middlewares in their order, but for the watchdog, which would end the tests' process."""
    listed = [entry for entry in settings.DRAMATIQ_BROKER["MIDDLEWARE"] if "watchdog" not in str(entry)]
    return [TimeLimit(interval=50) if isinstance(m, TimeLimit) else load_middleware(m) for m in listed]


@pytest.fixture
def make_broker(configure) -> Iterator[Callable[..., HardenedRedisBroker]]:
    """Makes brokers, each of which is like another process to Redis; the last one made is the global one."""
    before = dramatiq.broker.global_broker
    made: list[HardenedRedisBroker] = []

    def make(middleware: list[Middleware] | None = None) -> HardenedRedisBroker:
        made.append(HardenedRedisBroker(middleware=stack() if middleware is None else middleware))
        dramatiq.set_broker(made[-1])
        return made[-1]

    yield make
    for broker in made:
        broker.close()
        for middleware in broker.middleware:
            if isinstance(middleware, Dedup):
                middleware._ledger._client.close()
    dramatiq.set_broker(before)


@pytest.fixture
def make_stock(server: RedisServer) -> Iterator[Callable[..., RedisBroker]]:
    """Makes brokers as dramatiq has them, to show what ours are for."""
    made: list[RedisBroker] = []

    def make(*middleware: Middleware, **options) -> RedisBroker:
        made.append(RedisBroker(url=server.url(), middleware=list(middleware), **options))
        return made[-1]

    yield make
    for broker in made:
        broker.client.close()


@pytest.fixture
def broker(make_broker) -> HardenedRedisBroker:
    return make_broker()


@contextmanager
def working(broker: dramatiq.Broker, threads: int = 2) -> Iterator[Worker]:
    """A worker in this process, stopped at the end even if its actors are not done."""
    worker = Worker(broker, worker_timeout=50, worker_threads=threads)
    worker.start()
    try:
        yield worker
    finally:
        worker.stop(timeout=5000)


def eventually(holds: Callable[[], object], timeout: float = 10) -> None:
    """Wait until ``holds()`` is true."""
    deadline = time.monotonic() + timeout
    while not holds():
        assert time.monotonic() < deadline, f"not within {timeout}s"
        time.sleep(0.02)
