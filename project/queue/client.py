"""Redis clients without hidden retries."""

from datetime import timedelta

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry


def connect(url: str, timeout: timedelta) -> redis.Redis:
    """A client that gives up after ``timeout`` on connecting, and again on each command.

    It never sends a command twice by itself: a repeated EVALSHA would push one entry twice. Whoever may try
    again does so in the open. Connections are made on first use, after any fork.
    """
    seconds = timeout.total_seconds()
    return redis.Redis.from_url(
        url,
        socket_timeout=seconds,
        socket_connect_timeout=seconds,
        socket_keepalive=True,
        retry=Retry(NoBackoff(), retries=0),
    )
