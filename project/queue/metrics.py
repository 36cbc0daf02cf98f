"""Counters of what the queue did, summed over all processes and hosts.

A process counts in memory, because the interesting events happen while Redis is away, and adds its counts to
one Redis hash when it can. An emptied Redis restarts the counters at zero.
"""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from threading import Lock
from typing import cast

import redis

KEY = "singlepost:counters"

_counts: Counter[str] = Counter()
_lock = Lock()


class Counted(StrEnum):
    """What is counted; the values are the metrics' names."""

    CLAIMED = "dedup_claimed"
    DROPPED = "dedup_dropped"  # the message was done already
    PUT_OFF = "dedup_put_off"  # another worker is at it
    TAKEN_OVER = "dedup_taken_over"  # an earlier claim ended without an outcome
    LEASE_LOST = "dedup_lease_lost"  # somebody else took over while this process still worked
    SETTLEMENT_REFUSED = "dedup_settlement_refused"  # … and it wanted to say how it had ended
    FENCE_REFUSED = "fence_refused"  # … and its last write found the row to be somebody else's
    FAIL_OPEN = "dedup_fail_open"  # ran without a claim, because Redis was unreachable
    POISONED = "dedup_poisoned"
    ORPHANS_REQUEUED = "orphans_requeued"
    ENQUEUE_FAILED = "successor_enqueue_failed"  # a retry or a put-off copy had to wait for Redis
    THREAD_DEATHS = "thread_deaths"


def count(what: Counted, times: int = 1) -> None:
    """Add to a counter of this process; costs no round trip."""
    add({what: times})


def add(numbers: Mapping[str, int]) -> None:
    """Add to several counters of this process, which may have other names than those above."""
    with _lock:
        _counts.update(numbers)


def flush(client: redis.Redis) -> None:
    """Add this process's counts to the shared ones.

    Raises:
        redis.RedisError: if that failed; the counts are kept for the next time.
    """
    with _lock:
        counts = _counts.copy()
    with client.pipeline(transaction=True) as pipe:
        for name, times in counts.items():
            pipe.hincrby(KEY, name, times)
        pipe.execute()
    with _lock:
        _counts.subtract(counts)
        for name in [name for name, left in _counts.items() if not left]:
            del _counts[name]


def totals(client: redis.Redis) -> dict[Counted, int]:
    """The shared counters, those never counted included."""
    stored = everything(client)
    return {what: stored.get(what, 0) for what in Counted}


def everything(client: redis.Redis) -> dict[str, int]:
    """The shared counters, whatever their names."""
    stored = cast(dict[bytes, bytes], client.hgetall(KEY))
    return {name.decode(): int(number) for name, number in stored.items()}
