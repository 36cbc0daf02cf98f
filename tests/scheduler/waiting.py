"""What is on a queue."""

from datetime import datetime

from dramatiq import Message

from project.queue.broker import HardenedRedisBroker


def waiting_ticks(broker: HardenedRedisBroker, queue: str) -> list[tuple[str, datetime]]:
    """Actor and tick of each message that no worker has fetched, in order."""
    keys, client = broker.layout(queue), broker.client
    bodies = [client.hget(keys.bodies, entry) for entry in client.lrange(keys.ids, 0, -1)]
    messages = [Message.decode(body) for body in bodies]
    return [(one.actor_name, datetime.fromisoformat(one.options["scheduled_at"])) for one in messages]
