"""Fetching, acknowledging and giving back the entries of one queue."""

import time
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dramatiq import Message, MessageProxy
from dramatiq.broker import Consumer as DramatiqConsumer
from dramatiq.common import compute_backoff

from project.queue.burial import dead_body
from project.queue.entry import entry_id, read

if TYPE_CHECKING:
    from project.queue.broker import HardenedRedisBroker


class Consumer(DramatiqConsumer):
    """Iterates over a queue; yields None when there is nothing to do.

    ``held`` are the ids of the entries that this process is responsible for on this queue. It outlives the
    consumer, because a message in work does. What is in Redis' set of unacknowledged entries and not in here
    is an orphan, whatever the cause: a reply that got lost, a body that is gone or cannot be read.
    """

    def __init__(
        self, broker: "HardenedRedisBroker", queue_name: str, prefetch: int, timeout: int, held: set[str]
    ) -> None:
        self._broker = broker
        self._queue_name = queue_name
        self._prefetch = prefetch
        self._timeout = timeout
        self._held = held
        self._cache: deque[Message[Any]] = deque()
        self._misses = 0
        broker.pulse.beat()

    def __next__(self) -> MessageProxy | None:
        self._broker.pulse.beat()
        if not self._cache and (room := self._prefetch - len(self._held)) > 0:
            self._cache.extend(self._fetch(room))
        if not self._cache:
            self._misses, pause = compute_backoff(self._misses, max_backoff=self._timeout)
            time.sleep(pause / 1000)
            return None
        self._misses = 0
        return MessageProxy(self._cache.popleft())

    def ack(self, message: MessageProxy) -> None:
        """Remove a processed message."""
        self._broker.pulse.beat()
        self._broker.do_ack(self._queue_name, entry_id(message))
        self._held.discard(entry_id(message))

    def nack(self, message: MessageProxy) -> None:
        """Move a failed message to the dead letters, as it is now, with its last error."""
        self._broker.pulse.beat()
        self._broker.bury(self._queue_name, entry_id(message), dead_body(message))
        self._held.discard(entry_id(message))

    def requeue(self, messages: Iterable[MessageProxy]) -> None:
        """Put fetched messages back on the queue."""
        self._give_back([entry_id(message) for message in messages])

    def close(self) -> None:
        """Put back what was fetched and never handed out."""
        ids = [entry_id(message) for message in self._cache]
        self._cache.clear()
        self._give_back(ids)

    def _fetch(self, room: int) -> list[Message[Any]]:
        """New entries. One that is held already came back while this process seemed dead: it is handed out
        once, as it is acknowledged once.
        """
        messages = [read(body) for body in self._broker.do_fetch(self._queue_name, room)]
        fresh = {entry_id(m): m for m in messages if m and entry_id(m) not in self._held}
        self._held.update(fresh)
        return list(fresh.values())

    def _give_back(self, ids: list[str]) -> None:
        # No longer held even if Redis cannot be told now: then the orphan reaper puts them back.
        self._held.difference_update(ids)
        if ids:
            self._broker.do_requeue(self._queue_name, *ids)
