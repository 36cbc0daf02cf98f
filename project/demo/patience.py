"""Waiting with an end."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

POLL = 0.05  # seconds between two looks


class TookTooLongError(RuntimeError):
    """Something that had to happen did not, in the time it had."""


def wait_for(what: str, look: Callable[[], T | None], *, seconds: float, poll: float = POLL) -> T:
    """Look again and again until that gives something true, and return it.

    Raises:
        TookTooLongError: if it did not within `seconds`. What `look` raises goes through.
    """
    deadline = time.monotonic() + seconds
    while not (seen := look()):
        if time.monotonic() > deadline:
            raise TookTooLongError(f"{what}: not within {seconds:g} s")
        time.sleep(poll)
    return seen
