"""Buries messages of the real actors, as a worker does that gave up on them."""

from collections.abc import Iterable
from typing import Any, cast

import dramatiq
from dramatiq import Actor, Message
from dramatiq.common import current_millis

from project.models import Wake
from project.queue.broker import HardenedRedisBroker


def broker() -> HardenedRedisBroker:
    return cast(HardenedRedisBroker, dramatiq.get_broker())


def bury(
    actor: Actor[..., Any], wakes: Iterable[Wake], error: str = "rcpt 451", *, age: float = 0
) -> list[str]:
    """Let the messages of these wake-ups die of a ValueError after 5 retries, `age` seconds ago.

    Returns:
        Their entry ids, in the order of the wake-ups.
    """
    messages = [actor.message(str(wake.row_id), wake.dispatch) for wake in wakes]
    return [_bury(message, error, age) for message in messages]


def lay(queue: str, entry_id: str, body: bytes) -> None:
    """Lay any bytes among the dead letters, as if they died now."""
    keys = broker().layout(queue)
    broker().client.zadd(keys.dead_ids, {entry_id: current_millis()})
    broker().client.hset(keys.dead_bodies, entry_id, body)


def _bury(message: Message[Any], error: str, age: float) -> str:
    broker().enqueue(message)
    consumer = broker().consume(message.queue_name, timeout=10)
    delivery = next(consumer)
    assert delivery is not None
    delivery.options["retries"] = 5
    try:
        raise ValueError(error)
    except ValueError as exception:
        delivery.stuff_exception(exception)
    consumer.nack(delivery)
    entry_id = delivery.options["redis_message_id"]
    broker().client.zincrby(broker().layout(message.queue_name).dead_ids, -age * 1000, entry_id)
    return str(entry_id)
