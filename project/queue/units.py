"""Durations as dramatiq and Redis want them: whole milliseconds."""

from datetime import timedelta


def milliseconds(duration: timedelta) -> int:
    """``duration`` in whole milliseconds, rounded down."""
    return duration // timedelta(milliseconds=1)
