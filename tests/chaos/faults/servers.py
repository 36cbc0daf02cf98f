"""What becomes of PostgreSQL and Valkey, and of the connections to them."""

import os
import shutil
import signal
from collections.abc import Iterator
from random import Random

import psycopg
import redis

from tests.chaos.scene import Scene


def crash_postgres(scene: Scene, dice: Random) -> Iterator[float]:
    """An immediate stop, and a start that has to recover."""
    scene.postgres.kill()
    yield dice.uniform(0.2, 2)
    scene.postgres.start()


def end_sessions(scene: Scene, dice: Random) -> Iterator[float]:
    """PostgreSQL ends everybody's session, as before a failover."""
    with psycopg.connect(scene.postgres_url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
    yield 0


def refuse_writes(scene: Scene, dice: Random) -> Iterator[float]:
    """PostgreSQL is read-only for everybody, as in the middle of a failover."""
    with psycopg.connect(scene.postgres_url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        connection.execute("SELECT pg_reload_conf()")
        yield dice.uniform(0.5, 2)
        connection.execute("ALTER SYSTEM RESET default_transaction_read_only")
        connection.execute("SELECT pg_reload_conf()")


def crash_valkey(scene: Scene, dice: Random) -> Iterator[float]:
    """A kill, and a start from what was written."""
    scene.valkey.kill()
    yield dice.uniform(0.2, 2)
    scene.valkey.start()


def lose_valkey(scene: Scene, dice: Random) -> Iterator[float]:
    """A kill, and a start with nothing, as on another machine."""
    scene.valkey.kill()
    assert scene.valkey.cwd
    shutil.rmtree(scene.valkey.cwd / "appendonlydir")
    yield dice.uniform(0.2, 1)
    scene.valkey.start()


def empty_valkey(scene: Scene, dice: Random) -> Iterator[float]:
    """FLUSHALL."""
    with redis.Redis.from_url(scene.valkey_url) as client:
        client.flushall()
    yield 0


def fill_valkey(scene: Scene, dice: Random) -> Iterator[float]:
    """No memory left: every write is refused, acknowledgements too."""
    with redis.Redis.from_url(scene.valkey_url) as client:
        client.config_set("maxmemory", "1mb")
        yield dice.uniform(1, 3)
        client.config_set("maxmemory", "0")


def freeze_valkey(scene: Scene, dice: Random) -> Iterator[float]:
    """Connections stand, and no answer comes."""
    os.kill(scene.valkey.pid, signal.SIGSTOP)
    yield dice.uniform(1, 4)
    os.kill(scene.valkey.pid, signal.SIGCONT)


def cut_all(scene: Scene, dice: Random) -> Iterator[float]:
    """All connections to one of them break."""
    dice.choice([scene.to_postgres, scene.to_valkey]).cut_all()
    yield 0


def cut_answers(scene: Scene, dice: Random) -> Iterator[float]:
    """Answers of one of them break off in the middle: done, and nobody knows."""
    dice.choice([scene.to_postgres, scene.to_valkey]).cut_next_answers(dice.randint(1, 4))
    yield 0
