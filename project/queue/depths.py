"""How much lies in the queues, and since when."""

from dataclasses import dataclass
from typing import cast

import redis
from dramatiq.common import dq_name

from project.queue.entry import read
from project.queue.layout import Layout


@dataclass(frozen=True)
class Depth:
    """One queue.

    Attributes:
        waiting: messages that no worker has fetched.
        fetched: messages that workers hold, running ones among them.
        delayed: messages to be looked at later, fetched or not.
        dead: dead letters.
        oldest_waiting: age in seconds of the message that is next, since it was first sent; 0 if there is none.
        oldest_dead: age in seconds of the oldest dead letter; 0 if there is none.
    """

    waiting: int
    fetched: int
    delayed: int
    dead: int
    oldest_waiting: float
    oldest_dead: float


def depths(client: redis.Redis, namespace: str, queues: list[str]) -> dict[str, Depth]:
    """Measure the queues in two round trips, whatever their length.

    Raises:
        redis.RedisError: if Redis does not answer.
    """
    layouts = [Layout(namespace, queue) for queue in queues]
    with client.pipeline(transaction=False) as pipe:
        pipe.time()
        for keys in layouts:
            pipe.llen(keys.ids)
            pipe.hlen(keys.bodies)
            pipe.lindex(keys.ids, 0)
            pipe.hlen(Layout(namespace, dq_name(keys.queue)).bodies)
            pipe.zcard(keys.dead_ids)
            pipe.zrange(keys.dead_ids, 0, 0, withscores=True)
        (seconds, _), *answers = pipe.execute()
    rows = [answers[start : start + 6] for start in range(0, len(answers), 6)]
    with client.pipeline(transaction=False) as pipe:
        for keys, row in zip(layouts, rows, strict=True):
            pipe.hget(keys.bodies, row[2] or b"")
        firsts = pipe.execute()
    return {
        queue: _depth(row, first, seconds) for queue, row, first in zip(queues, rows, firsts, strict=True)
    }


def _depth(row: list[object], first: bytes | None, now: int) -> Depth:
    waiting, bodies, _, delayed, dead, died = cast(
        "tuple[int, int, object, int, int, list[tuple[bytes, float]]]", tuple(row)
    )
    message = read(first)
    return Depth(
        waiting=waiting,
        fetched=max(0, bodies - waiting),
        delayed=delayed,
        dead=dead,
        oldest_waiting=max(0.0, now - message.message_timestamp / 1000) if message else 0.0,
        oldest_dead=max(0.0, now - died[0][1] / 1000) if died else 0.0,
    )
