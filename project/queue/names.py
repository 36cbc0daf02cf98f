"""The one place where message ids are made.

A message is named after the work it wakes, so sending the same wake-up twice yields the same id, and the
dedup middleware recognises the second one.
"""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid5

# Changing this renames all work in flight: everything queued would be able to run a second time.
NAMESPACE = UUID("ebb24eea-69e6-4819-bd4b-588b565d32e1")


def message_id(actor_name: str, *parts: str | int) -> str:
    """The id of the message by which ``actor_name`` works on ``parts`` (a row's id and its dispatch)."""
    return str(uuid5(NAMESPACE, ":".join([actor_name, *map(str, parts)])))


def tick_of(moment: datetime, grid: timedelta) -> datetime:
    """``moment`` floored in UTC to the grid of ticks.

    Raises:
        ValueError: if ``moment`` is naive, because two hosts would floor it differently.
    """
    if moment.tzinfo is None:
        raise ValueError(f"a tick needs an aware datetime, not {moment!r}")
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    return epoch + (moment - epoch) // grid * grid


def tick_id(actor_name: str, moment: datetime, grid: timedelta) -> str:
    """The id of the message of the tick that contains ``moment``, whichever scheduler sends it.

    Raises:
        ValueError: if ``moment`` is naive.
    """
    return message_id(actor_name, "tick", tick_of(moment, grid).isoformat())
