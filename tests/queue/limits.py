"""Limits under which nothing that a test waits for takes much longer than a second."""

from datetime import timedelta

from project.limits import Limits

_SECONDS = {
    "heartbeat_timeout": 1.5,
    "lease": 1,
    "lease_renewal": 0.2,
    "maintenance_every": 0.2,
    "redis_timeout": 1,
    "redis_wait": 0.2,
    "enqueue_timeout": 0.5,
    "retry_min_backoff": 0.05,
    "retry_max_backoff": 0.2,
    "recovery_budget": 6,
}
_COUNTS = {"delivery_limit": 3, "retry_attempts": 3}


def short(**changes: float) -> Limits:
    """The limits; ``changes`` in seconds, or as counts."""
    seconds = _SECONDS | {name: value for name, value in changes.items() if name in _SECONDS}
    counts = _COUNTS | {name: value for name, value in changes.items() if name not in _SECONDS}
    return Limits(**{name: timedelta(seconds=s) for name, s in seconds.items()}, **counts)
