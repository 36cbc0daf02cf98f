import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from django.core.management import call_command

from project.queue.processes import KEY, SCHEDULER, WORKER, Process, beat
from tests.architecture import ROOT
from tests.queue.server import RedisServer

OTHER_HOST = Process(WORKER, "elsewhere", 1, ("mail",))


@pytest.fixture
def server(tmp_path, settings) -> RedisServer:
    server = RedisServer(tmp_path)
    server.start()
    settings.REDIS_URL = server.url()
    yield server
    server.kill()


@pytest.fixture
def tell(server) -> Callable[..., None]:
    def beat_of(process: Process, ago: float = 0) -> None:
        with server.client() as client:
            beat(client, process)
            client.zincrby(KEY, -ago * 1000, process.encode())

    return beat_of


def status(*words: str) -> int:
    try:
        call_command("probe", *words)
    except SystemExit as end:
        return int(end.code)
    return 0


def test_a_worker_of_this_host_that_told_of_itself_lately_is_alive(tell, capsys):
    tell(OTHER_HOST)
    assert status("worker") == 1
    tell(Process.own(WORKER, ("mail", "clock")), ago=40)
    assert status("worker") == 1
    tell(Process.own(WORKER, ("mail", "clock")), ago=20)
    assert status("worker") == 0
    assert str(os.getpid()) in capsys.readouterr().out
    assert status("worker", "--queue", "clock") == 0
    assert status("worker", "--queue", "exports") == 1
    assert status("scheduler") == 1


def test_a_scheduler_has_a_minute_and_more_between_two_signs_of_life(tell):
    tell(Process.own(SCHEDULER), ago=150)
    assert status("scheduler") == 0
    tell(Process.own(SCHEDULER), ago=200)
    assert status("scheduler") == 1


def test_what_a_restart_would_not_mend_is_no_reason_for_one(server, capsys):
    server.kill()
    assert status("worker") == 0
    assert "unknown" in capsys.readouterr().out


def test_the_command_runs_by_itself_with_neither_database_nor_mail_server(tell, server):
    tell(Process.own(WORKER, ("mail",)))
    environ = os.environ | {"REDIS_URL": server.url(), "DATABASE_URL": "postgresql://127.0.0.1:1/none"}
    probe = [sys.executable, "manage.py", "probe", "worker"]
    assert subprocess.run(probe, cwd=ROOT, env=environ, timeout=60, check=False).returncode == 0
