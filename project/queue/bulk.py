"""Enqueueing thousands of messages in a few round trips."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, cast
from uuid import uuid4

import dramatiq
from dramatiq import Message

from project.queue.broker import HardenedRedisBroker, redis_errors_as_closed
from project.queue.entry import entry_id

_BATCH = 500  # one transaction: short enough not to hold up the workers' commands


def send_all(messages: Iterable[Message[Any]]) -> None:
    """Enqueue messages (built by ``Actor.message``) with the hooks that ``send`` would run.

    Raises:
        ConnectionClosed: if Redis failed. Any batch before is sent, and the failing one may be. Send all of
            them again: they have the same ids, so none will run twice.
    """
    broker = cast(HardenedRedisBroker, dramatiq.get_broker())
    for batch in _batches(messages):
        _send_batch(broker, batch)


def _batches(messages: Iterable[Message[Any]]) -> Iterator[list[Message[Any]]]:
    rest = iter(messages)
    while batch := list(islice(rest, _BATCH)):
        yield [message.copy(options={"redis_message_id": str(uuid4())}) for message in batch]


def _send_batch(broker: HardenedRedisBroker, batch: list[Message[Any]]) -> None:
    bodies: defaultdict[str, dict[Any, Any]] = defaultdict(dict)
    for message in batch:
        broker.emit_before("enqueue", message, None)
        bodies[message.queue_name][entry_id(message)] = message.encode()
    with redis_errors_as_closed(), broker.client.pipeline(transaction=True) as pipe:
        for queue_name, entries in bodies.items():
            keys = broker.layout(queue_name)
            pipe.hset(keys.bodies, mapping=entries)
            pipe.rpush(keys.ids, *entries)
        pipe.execute()
    for message in batch:
        broker.emit_after("enqueue", message, None)
