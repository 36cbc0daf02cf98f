"""What a service returns when something should be sent next."""

from typing import NamedTuple
from uuid import UUID


class Wake(NamedTuple):
    """A wake-up for one row: the row is the truth, the message only says "look at it".

    The message's id is made from these two, so sending the same wake-up twice sends one message.
    """

    row_id: UUID
    dispatch: int
