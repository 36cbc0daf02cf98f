"""Dramatiq's Redis broker without its ways to lose or strand a message.

Written against dramatiq 2.2: relies on the commands of the ``dispatch`` script and on the worker's threads.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import redis
from django.conf import settings
from dramatiq import ConnectionClosed
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import Middleware

from project.queue.client import connect
from project.queue.consumer import Consumer
from project.queue.layout import Layout
from project.queue.pulse import Pulse
from project.queue.units import milliseconds

# KEYS acks bodies dead_ids dead_bodies  ARGV entry_id body
_BURY = """
if redis.call('SREM', KEYS[1], ARGV[1]) == 0 then return end
if redis.call('HDEL', KEYS[2], ARGV[1]) == 0 then return end
local now = redis.call('TIME')
redis.call('ZADD', KEYS[3], now[1] * 1000 + math.floor(now[2] / 1000), ARGV[1])
redis.call('HSET', KEYS[4], ARGV[1], ARGV[2])
"""

_CLIENT_CLOCK = b"local timestamp = ARGV[2]\n"
_SERVER_CLOCK = b"""
local time = redis.call("time")
local timestamp = time[1] * 1000 + math.floor(time[2] / 1000)
"""


class HardenedRedisBroker(RedisBroker):
    """The broker on ``settings.REDIS_URL``. What differs from its base:

    * Any Redis error of any command becomes ``ConnectionClosed``, upon which the worker's threads wait and
      try again instead of dying or forgetting a message.
    * Heartbeats and deaths are timed by Redis' clock, so a host with a wrong clock declares nobody dead.
    * Maintenance (giving dead workers' messages back) is a command, ``do_maintain``, and no lottery.
    * The process knows the entries it holds (``held``, by queue), so that orphans can be told from work.
    * A dead letter is stored with its last error.

    A process starts with the short timeout that suits a web request; ``serve`` makes it a worker.
    """

    def __init__(self, *, middleware: list[Middleware] | None = None) -> None:
        self.limits = settings.LIMITS
        super().__init__(  # type: ignore[no-untyped-call]
            middleware=middleware,
            client=connect(settings.REDIS_URL, self.limits.enqueue_timeout),
            heartbeat_timeout=milliseconds(self.limits.heartbeat_timeout),
            dead_message_ttl=milliseconds(self.limits.dead_letter_ttl),
        )
        dispatch = cast(bytes, self.scripts["dispatch"].script)
        self.scripts["dispatch"] = self.client.register_script(_on_server_clock(dispatch))
        self.scripts["bury"] = self.client.register_script(_BURY)
        self.pulse = Pulse()
        self.held: dict[str, set[str]] = {}

    def serve(self) -> None:
        """Be a worker from now on: be patient with Redis."""
        self.client.close()
        self.client = connect(settings.REDIS_URL, self.limits.redis_timeout)
        for script in self.scripts.values():
            script.registered_client = self.client

    def consume(self, queue_name: str, prefetch: int = 1, timeout: int = 5000) -> Consumer:
        """A consumer of the queue. A delay queue's consumer starts with nothing held: the worker's thread has
        dropped its heap of delayed messages by the time it asks for a new consumer.
        """
        if queue_name in self.delay_queues:
            self.held[queue_name] = set()
        held = self.held.setdefault(queue_name, set())
        return Consumer(self, queue_name, prefetch, timeout, held)

    def close(self) -> None:
        """Close the connections to Redis."""
        self.client.close()

    def layout(self, queue_name: str) -> Layout:
        """The Redis keys of a queue."""
        return Layout(self.namespace, queue_name)

    def bury(self, queue_name: str, entry_id: str, body: bytes) -> None:
        """Move an entry that this process has fetched to the dead letters, with ``body``.

        Raises:
            ConnectionClosed: if Redis did not confirm it.
        """
        keys = self.layout(queue_name)
        with redis_errors_as_closed():
            self.scripts["bury"](
                keys=[keys.acks(self.broker_id), keys.bodies, keys.dead_ids, keys.dead_bodies],
                args=[entry_id, body],
            )

    def _should_do_maintenance(self, command: str) -> int:
        return int(command == "maintain")

    def _dispatch(self, command: str) -> Callable[..., Any]:
        dispatch = super()._dispatch(command)  # type: ignore[no-untyped-call]

        def guarded(queue_name: str, *args: Any) -> Any:
            with redis_errors_as_closed():
                return dispatch(queue_name, *args)

        return guarded


@contextmanager
def redis_errors_as_closed() -> Iterator[None]:
    """Turn any Redis error (timeout, out of memory, read-only, loading, …) into ``ConnectionClosed``.

    It is the only one that dramatiq's worker survives everywhere.
    """
    try:
        yield
    except redis.RedisError as error:
        raise ConnectionClosed(error) from error  # type: ignore[no-untyped-call]


def _on_server_clock(dispatch: bytes) -> bytes:
    changed = dispatch.replace(_CLIENT_CLOCK, _SERVER_CLOCK)
    if changed == dispatch:
        raise RuntimeError("dramatiq's dispatch script has changed: review HardenedRedisBroker against it")
    return changed
