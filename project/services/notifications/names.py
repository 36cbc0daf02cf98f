"""The ids of notifications and log rows: each is named after the activity, the receiver and the kind.

Telling the same person of the same thing a second time makes the same id, which the primary key recognises.
"""

from enum import StrEnum
from uuid import UUID, uuid5

#: Never to be changed: every id given out so far was made from it.
NAMESPACE = UUID("6f0a3f0e-8a0b-4d53-9c1e-2f6f1f6f7c11")


class Kind(StrEnum):
    """What a person is told: that something changed, or that the change mentions them."""

    CHANGE = "change"
    MENTION = "mention"


def notification_id(activity_id: UUID, receiver_id: UUID, kind: Kind) -> UUID:
    """Return the id of the in-app row that tells `receiver_id` of `activity_id`."""
    return uuid5(NAMESPACE, f"notification:{activity_id}:{receiver_id}:{kind}")


def log_id(activity_id: UUID, receiver_id: UUID, kind: Kind) -> UUID:
    """Return the id of the log row (the line to mail) for the same."""
    return uuid5(NAMESPACE, f"email:{activity_id}:{receiver_id}:{kind}")
