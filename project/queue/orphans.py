"""Entries that Redis books to this process, and this process knows nothing of."""

import logging
from collections import defaultdict
from typing import cast

from project.queue.broker import HardenedRedisBroker, redis_errors_as_closed
from project.queue.entry import entry_id, read
from project.queue.metrics import Counted, count

logger = logging.getLogger(__name__)


class Orphans:
    """Finds them and puts them where they belong. They arise when a fetch's reply is lost, when a consumer
    restarts over its delayed messages, and when a body is missing or unreadable.
    """

    def __init__(self, broker: HardenedRedisBroker) -> None:
        self._broker = broker
        self._suspects: defaultdict[str, set[str]] = defaultdict(set)

    def reap(self, queue_name: str) -> None:
        """Settle the entries that looked like orphans in the pass before, too.

        One pass is no proof: the reply that brings an entry may be on its way.

        Raises:
            ConnectionClosed: if Redis failed; the next pass goes on.
        """
        unheld = self._booked(queue_name) - self._broker.held.get(queue_name, set())
        orphans = unheld & self._suspects[queue_name]
        self._suspects[queue_name] = unheld - orphans
        for orphan in orphans:
            self._settle(queue_name, orphan)

    def _booked(self, queue_name: str) -> set[str]:
        acks = self._broker.layout(queue_name).acks(self._broker.broker_id)
        with redis_errors_as_closed():
            return {name.decode() for name in cast(set[bytes], self._broker.client.smembers(acks))}

    def _settle(self, queue_name: str, orphan: str) -> None:
        with redis_errors_as_closed():
            body = cast(
                bytes | None, self._broker.client.hget(self._broker.layout(queue_name).bodies, orphan)
            )
        message = read(body)
        if body is not None and (message is None or entry_id(message) != orphan):
            logger.error("entry %s of queue %s is unreadable, buried as it is", orphan, queue_name)
            self._broker.bury(queue_name, orphan, body)
        else:  # back to the queue; without a body, Redis forgets it
            logger.warning("entry %s of queue %s was orphaned, put back", orphan, queue_name)
            self._broker.do_requeue(queue_name, orphan)
            count(Counted.ORPHANS_REQUEUED)
