import os
import shutil
import signal
import smtplib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
import pytest
import redis

from project.demo import servers
from tests.demo.gone import descendants, survivors

GIVEN = {
    "DATABASE_URL": "postgresql://db.example.org/x",
    "REDIS_URL": "redis://redis.example.org",
    "S3_URL": "s3+https://files.example.org/exports",
    "EMAIL_URL": "smtp://mail.example.org",
}


def put(environ: Mapping[str, str], value: int) -> None:
    with psycopg.connect(environ["DATABASE_URL"]) as database:
        database.execute("create table if not exists kept (value int)")
        database.execute("insert into kept values (%s)", [value])
    with redis.Redis.from_url(environ["REDIS_URL"]) as queue:
        queue.set("kept", value)


def kept(environ: Mapping[str, str]) -> tuple[list[int], int]:
    with psycopg.connect(environ["DATABASE_URL"]) as database:
        rows = [value for (value,) in database.execute("select value from kept")]
    with redis.Redis.from_url(environ["REDIS_URL"]) as queue:
        return rows, int(queue.get("kept"))


def send_mail(environ: Mapping[str, str]) -> None:
    server = urlsplit(environ["EMAIL_URL"])
    with smtplib.SMTP(server.hostname or "", server.port or 0, timeout=10) as client:
        client.sendmail("a@example.org", "b@example.org", "Subject: x\r\n\r\n")


def without_password(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=f"{parts.username or ''}@{parts.hostname}:{parts.port}").geturl()


@contextmanager
def busy_session(url: str) -> Iterator[None]:
    """A query that runs for minutes unless the server's end ends it."""
    with closing(psycopg.connect(url)) as database:
        database.pgconn.send_query(b"select count(*) from generate_series(1, 100000000000)")
        yield


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Running]:
    with servers.running(tmp_path_factory.mktemp("servers"), {}, durable=False) as running:
        yield running


def test_two_sets_run_side_by_side_and_leave_only_logs_and_mails(
    running: servers.Running, tmp_path: Path
) -> None:
    before = descendants(os.getpid())
    with servers.running(tmp_path / "new", {"PATH": "/x"}) as second:
        processes = set(descendants(os.getpid())) - set(before)
        assert len(processes) > 3
        for value, one in enumerate((running, second)):
            put(one.environ, value)
            send_mail(one.environ)
        assert kept(running.environ) == ([0], 0)
        assert kept(second.environ) == ([1], 1)
        assert len(running.effects.read()) == len(second.effects.read()) == 1
        assert len(list((second.maildir / "new").iterdir())) == 1
        assert second.environ["PATH"] == "/x"

    assert survivors(processes) == []
    left = {path.name for path in (tmp_path / "new").iterdir()}
    assert left == {"postgres.log", "valkey.log", "seaweed.log", "smtp.log", "maildir", "effects.jsonl"}


def test_servers_come_back_where_they_were_after_a_crash(running: servers.Running) -> None:
    put(running.environ, 7)
    before = kept(running.environ)
    assert running.postgres
    assert running.valkey
    with busy_session(running.environ["DATABASE_URL"]):
        running.postgres.kill()
        running.valkey.kill()
        running.postgres.start()
        running.valkey.start()
    assert kept(running.environ) == before


def test_others_cannot_use_them(running: servers.Running) -> None:
    database, queue = (without_password(running.environ[name]) for name in ("DATABASE_URL", "REDIS_URL"))
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        psycopg.connect(database)
    with redis.Redis.from_url(queue) as client, pytest.raises(redis.AuthenticationError):
        client.ping()


def test_valkey_never_forgets_what_it_holds(running: servers.Running) -> None:
    with redis.Redis.from_url(running.environ["REDIS_URL"], decode_responses=True) as client:
        wanted = {"maxmemory-policy": "noeviction", "appendonly": "yes", "bind": "127.0.0.1"}
        assert client.config_get(*wanted) == wanted


def test_given_servers_are_used_and_none_is_started(tmp_path: Path) -> None:
    before = psutil.Process().children()
    with servers.running(tmp_path, GIVEN) as running:
        assert running.environ == GIVEN
        assert (running.postgres, running.valkey, running.seaweed, running.smtp_sink) == (None,) * 4
        assert psutil.Process().children() == before
        assert running.effects.read() == []


def test_an_error_stops_them(tmp_path: Path) -> None:
    before = descendants(os.getpid())
    with pytest.raises(ZeroDivisionError), servers.running(tmp_path, {"DATABASE_URL": "x"}):
        processes = set(descendants(os.getpid())) - set(before)
        raise ZeroDivisionError
    assert processes
    assert survivors(processes) == []


def test_a_failed_start_stops_the_others(tmp_path: Path) -> None:
    (tmp_path / "smtp.log").mkdir()
    before = psutil.Process().children()
    given = {"DATABASE_URL": "x", "S3_URL": "x"}
    with pytest.raises(IsADirectoryError), servers.running(tmp_path, given):
        pass
    assert (tmp_path / "valkey.log").exists()
    assert psutil.Process().children() == before


PARENT = """
import os, sys, time
from pathlib import Path
from project.demo import servers

with servers.running(Path(sys.argv[1]), os.environ, durable=False) as running:
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize(
    ("end", "given"),
    [
        (signal.SIGINT, {"DATABASE_URL": "x", "S3_URL": "x"}),
        (signal.SIGHUP, {"DATABASE_URL": "x", "S3_URL": "x"}),
        (signal.SIGTERM, {}),
        (signal.SIGKILL, {}),
    ],
)
def test_no_process_outlives_the_parent(
    tmp_path: Path, end: signal.Signals, given: Mapping[str, str]
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, tmp_path],
        env={**{name: value for name, value in os.environ.items() if name not in GIVEN}, **given},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == b"ready\n"
        processes = descendants(parent.pid)
        clusters = {Path(p.cwd()).parent for p in processes if p.name() == "postgres"}

        parent.send_signal(end)

        assert parent.wait(30) == -(signal.SIGKILL if end is signal.SIGKILL else signal.SIGINT)
    assert len(processes) >= 2
    assert survivors(processes) == []
    for cluster in clusters:
        assert cluster.exists() == (end is signal.SIGKILL)
        shutil.rmtree(cluster, ignore_errors=True)


def test_an_ignored_hangup_stays_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with servers.running(tmp_path, GIVEN):
            os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
