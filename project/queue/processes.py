"""The register of living processes: workers and schedulers, as they tell of themselves.

Dramatiq's own heartbeats do not say which queues a process works on, nor where, and a web process that sends
something beats as well.
"""

from dataclasses import dataclass
from datetime import timedelta
from os import getpid
from socket import gethostname
from typing import cast

import redis

from project.queue.units import milliseconds

KEY = "singlepost:processes"
WORKER, SCHEDULER = "worker", "scheduler"
_REMEMBERED = timedelta(hours=1)  # a process that was killed is missed for this long

# KEYS register  ARGV process remembered
_BEAT = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""


@dataclass(frozen=True, order=True)
class Process:
    """A process: what it is, where, and the queues that it works on."""

    role: str
    host: str
    pid: int
    queues: tuple[str, ...] = ()

    @classmethod
    def own(cls, role: str, queues: tuple[str, ...] = ()) -> "Process":
        """The calling process."""
        return cls(role, gethostname(), getpid(), tuple(sorted(queues)))

    def encode(self) -> str:
        """One line, as it stands in the register."""
        return "|".join((self.role, self.host, str(self.pid), ",".join(self.queues)))

    @classmethod
    def decode(cls, line: bytes) -> "Process":
        """The process of such a line."""
        role, host, pid, queues = line.decode().split("|")
        return cls(role, host, int(pid), tuple(filter(None, queues.split(","))))


def beat(client: redis.Redis, process: Process) -> None:
    """Tell that a process is alive now, on the clock of Redis.

    Raises:
        redis.RedisError: if that could not be told.
    """
    client.eval(_BEAT, 1, KEY, process.encode(), str(milliseconds(_REMEMBERED)))


def leave(client: redis.Redis, process: Process) -> None:
    """Tell that a process ends on purpose.

    Raises:
        redis.RedisError: if that could not be told.
    """
    client.zrem(KEY, process.encode())


def silences(client: redis.Redis) -> dict[Process, float]:
    """For how many seconds each process has not been heard of; those that ended on purpose are left out.

    Raises:
        redis.RedisError: if Redis does not answer.
    """
    with client.pipeline(transaction=True) as pipe:
        pipe.time()
        pipe.zrange(KEY, 0, -1, withscores=True)
        (seconds, micro), found = pipe.execute()
    now = seconds + micro / 1e6
    heard = cast("list[tuple[bytes, float]]", found)
    return {Process.decode(line): max(0.0, now - moment / 1000) for line, moment in heard}


def alive(client: redis.Redis, role: str, patience: timedelta) -> list[Process]:
    """The processes of a role that were heard of within ``patience``.

    Raises:
        redis.RedisError: if Redis does not answer.
    """
    known = silences(client)
    return sorted(p for p, silence in known.items() if p.role == role and silence <= patience.total_seconds())
