"""One message as it lies in Redis: an entry id and a body that must name the same id."""

from typing import Any

from dramatiq import DecodeError, Message, MessageProxy


def entry_id(message: Message[Any] | MessageProxy) -> str:
    """The id of the entry that this message was read from; new at every enqueue, unlike the message id."""
    return str(message.options["redis_message_id"])


def read(body: bytes | None) -> Message[Any] | None:
    """The message in ``body``, or None if there is none: the body is gone, or makes no sense."""
    if body is None:
        return None
    try:
        message = Message.decode(body)
        return message if isinstance(message.options["redis_message_id"], str) else None
    except (DecodeError, KeyError, TypeError):
        return None
