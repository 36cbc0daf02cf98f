"""Messages that ran out of retries: count them, find them, run them again, throw them away.

All functions raise ``redis.RedisError`` if Redis fails.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import cast
from uuid import uuid4

from dramatiq.common import current_millis

from project.queue.broker import HardenedRedisBroker
from project.queue.dead_letter import START, Cursor, DeadLetter, Wanted

_BATCH = 200  # entries read in one round trip

# KEYS dead_ids dead_bodies bodies ids  ARGV entry_id old_body new_id new_body
_REQUEUE = """
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 'gone' end
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 'changed' end
redis.call('HSET', KEYS[3], ARGV[3], ARGV[4])
redis.call('RPUSH', KEYS[4], ARGV[3])
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return 'requeued'
"""

# KEYS dead_ids dead_bodies  ARGV entry_id old_body
_DISCARD = """
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 'gone' end
if (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[2] then return 'changed' end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return 'discarded'
"""


class Outcome(StrEnum):
    """What came of an order to re-queue or discard one dead letter."""

    REQUEUED = "requeued"
    DISCARDED = "discarded"
    GONE = "gone"  # somebody else was faster, or it expired
    CHANGED = "changed"  # not the letter that was looked at
    UNREADABLE = "unreadable"  # can only be discarded


class DeadLetters:
    """The dead letters of all declared queues."""

    def __init__(self, broker: HardenedRedisBroker) -> None:
        self._broker = broker
        self._client = broker.client
        self._requeue = broker.client.register_script(_REQUEUE)
        self._discard = broker.client.register_script(_DISCARD)

    def counts(self) -> dict[str, int]:
        """How many there are, by queue."""
        queues = sorted(self._broker.get_declared_queues())
        with self._client.pipeline(transaction=False) as pipe:
            for queue in queues:
                pipe.zcard(self._broker.layout(queue).dead_ids)
            return dict(zip(queues, pipe.execute(), strict=True))

    def get(self, queue: str, entry_id: str) -> DeadLetter | None:
        """One dead letter, or None if it is gone."""
        keys = self._broker.layout(queue)
        died = cast(float | None, self._client.zscore(keys.dead_ids, entry_id))
        body = cast(bytes | None, self._client.hget(keys.dead_bodies, entry_id))
        return None if died is None else DeadLetter(queue, Cursor(died, entry_id), body or b"")

    def search(self, queue: str, wanted: Wanted, after: Cursor = START) -> Iterator[DeadLetter]:
        """Those of a queue that match, oldest death first, read in batches as the iteration goes on. To go on
        later, pass the ``cursor`` of the last one seen.
        """
        for batch in self._batches(queue, wanted, after):
            bodies = cast(
                list[bytes | None],
                self._client.hmget(self._broker.layout(queue).dead_bodies, [c.entry_id for c in batch]),
            )
            letters = (DeadLetter(queue, c, body or b"") for c, body in zip(batch, bodies, strict=True))
            yield from filter(wanted.matches, letters)

    def requeue(self, letter: DeadLetter) -> Outcome:
        """Move it back to its queue, atomically, with a fresh count of retries. The message id stays: if its
        work is done meanwhile, dedup drops it.
        """
        new_id = str(uuid4())
        revived = letter.revived(new_id, current_millis())
        if revived is None:
            return Outcome.UNREADABLE
        keys = self._broker.layout(letter.queue)
        outcome: bytes = self._requeue(
            keys=[keys.dead_ids, keys.dead_bodies, keys.bodies, keys.ids],
            args=[letter.entry_id, letter.body, new_id, revived],
        )
        return Outcome(outcome.decode())

    def discard(self, letter: DeadLetter) -> Outcome:
        """Remove it for good."""
        keys = self._broker.layout(letter.queue)
        outcome: bytes = self._discard(
            keys=[keys.dead_ids, keys.dead_bodies], args=[letter.entry_id, letter.body]
        )
        return Outcome(outcome.decode())

    def _batches(self, queue: str, wanted: Wanted, position: Cursor) -> Iterator[list[Cursor]]:
        dead_ids, skip = self._broker.layout(queue).dead_ids, 0
        oldest, newest = wanted.range()
        while True:
            found = cast(
                list[tuple[bytes, float]],
                self._client.zrangebyscore(
                    dead_ids, max(oldest, position.died), newest, start=skip, num=_BATCH, withscores=True
                ),
            )
            if not found:
                return
            batch = [c for c in (Cursor(died, name.decode()) for name, died in found) if c > position]
            if batch:
                yield batch
                position, skip = batch[-1], 0
            else:  # all of them died in the same millisecond and were seen before
                skip += _BATCH
