import os
import shutil
import signal
import smtplib
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import redis

from project.demo import servers
from tests.demo.gone import descendants, survivors

GIVEN = {
    "DATABASE_URL": "postgresql://db.example.org/x",
    "REDIS_URL": "redis://redis.example.org",
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


def test_two_sets_run_side_by_side_and_leave_only_logs_and_mails(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    before = descendants(os.getpid())
    with servers.running(one, {"PATH": "/x"}, durable=False) as first, servers.running(two, {}) as second:
        processes = set(descendants(os.getpid())) - set(before)
        assert len(processes) > 6
        put(first.environ, 1)
        put(second.environ, 2)
        assert kept(first.environ) == ([1], 1)
        assert kept(second.environ) == ([2], 2)
        for running in (first, second):
            send_mail(running.environ)
            assert len(running.effects.read()) == len(list((running.maildir / "new").iterdir())) == 1
        assert first.environ["PATH"] == "/x"

    assert survivors(processes) == []
    left = {"postgres.log", "valkey.log", "smtp.log", "maildir", "effects.jsonl"}
    assert {path.name for path in one.iterdir()} == {path.name for path in two.iterdir()} == left


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.Running]:
    given = {"EMAIL_URL": GIVEN["EMAIL_URL"]}
    with servers.running(tmp_path_factory.mktemp("servers"), given, durable=False) as running:
        yield running


def test_servers_come_back_where_they_were_after_sigkill(running: servers.Running) -> None:
    put(running.environ, 1)
    for server in (running.postgres, running.valkey):
        assert server
        server.kill()
        server.start()
    assert kept(running.environ) == ([1], 1)


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
    before = descendants(os.getpid())
    with servers.running(tmp_path, GIVEN) as running:
        assert running.environ == GIVEN
        assert (running.postgres, running.valkey, running.smtp_sink) == (None, None, None)
        assert descendants(os.getpid()) == before
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
    before = descendants(os.getpid())
    with pytest.raises(IsADirectoryError), servers.running(tmp_path, {"DATABASE_URL": "x"}):
        pass
    assert (tmp_path / "valkey.log").exists()
    assert descendants(os.getpid()) == before


PARENT = """
import sys, time
from pathlib import Path
from project.demo import servers

with servers.running(Path(sys.argv[1]), {}, durable=False) as running:
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_process_outlives_the_parent(tmp_path: Path, end: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, tmp_path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as parent:
        assert parent.stdout
        assert parent.stdout.readline() == b"ready\n"
        processes = descendants(parent.pid)
        clusters = {Path(p.cwd()).parent for p in processes if p.name() == "postgres"}

        parent.send_signal(end)

        assert parent.wait(10) == -(signal.SIGKILL if end is signal.SIGKILL else signal.SIGINT)
    assert len(processes) > 3
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
