"""Whole worker processes, started as in production, and what a signal does to them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import dramatiq
import pytest

from project.queue import actor
from tests.queue.conftest import eventually
from tests.queue.test_dedup import empty

ROW = str(uuid4())
ROOT = Path(__file__).parents[2]


class Workers:
    """One tree of worker processes, and what its actors told."""

    def __init__(self, server, log: Path, processes: int) -> None:
        environment = os.environ | {
            "DJANGO_SETTINGS_MODULE": "tests.queue.worker.settings",
            "QUEUE_TEST_URL": server.url()[:-2],
            "dramatiq_restart_delay": "100",
        }
        command = "-m django rundramatiq --worker-shutdown-timeout 10000 --threads 1 --processes"
        self.log = log
        self.effects = server.client(2)
        with log.open("ab") as output:
            self.master = subprocess.Popen(
                [sys.executable, *command.split(), str(processes)],
                cwd=ROOT,
                env=environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        eventually(lambda: log.read_text().count("ready for action") == processes)

    def told(self, what: str) -> list[list[str]]:
        """The ``[dispatch, pid]`` of everything told as ``what``."""
        lines = [line.decode().split() for line in self.effects.lrange("effects", 0, -1)]
        return [rest for word, *rest in lines if word == what]

    def end(self) -> None:
        if self.master.poll() is None:
            os.killpg(self.master.pid, signal.SIGKILL)
            self.master.wait(10)
        self.effects.close()


@pytest.fixture
def start(server, tmp_path) -> Iterator[Callable[..., Workers]]:
    started: list[Workers] = []

    def start_one(processes: int = 1) -> Workers:
        started.append(Workers(server, tmp_path / f"worker{len(started)}.log", processes))
        return started[-1]

    yield start_one
    for workers in started:
        workers.end()


@pytest.fixture
def work(broker) -> dramatiq.Actor:
    @actor(queue_name="q", broker=broker)
    def work(row_id: str, dispatch: int) -> None:
        raise AssertionError("runs in the workers only")

    return work


@pytest.fixture
def kill_a_thread(broker) -> dramatiq.Actor:
    @actor(queue_name="q", broker=broker)
    def kill_a_thread(row_id: str, dispatch: int) -> None:
        raise AssertionError("runs in the workers only")

    return kill_a_thread


def test_each_process_is_a_broker_of_its_own(start, work, broker):
    """With one id for all, a dead process' messages would never be given back."""
    workers = start(processes=2)
    for dispatch in range(4):
        work.send(ROW, dispatch)
    eventually(lambda: len({pid for _, pid in workers.told("begin")}) == 2)
    ids = {key.split(b".")[1] for key in broker.client.keys("dramatiq:__acks__.*")}
    assert len(ids) == 2


def test_a_killed_worker_s_message_runs_again_within_the_budget_and_once(start, work, broker):
    workers = start()
    for dispatch in range(3):
        work.send(ROW, dispatch)
    eventually(lambda: workers.told("begin"))
    os.killpg(workers.master.pid, signal.SIGKILL)
    killed = time.monotonic()
    again = start()
    eventually(lambda: again.told("begin")[1:])
    assert time.monotonic() - killed < broker.limits.recovery_budget.total_seconds()
    again.effects.set("go", 1)
    eventually(lambda: empty(broker))
    assert sorted(dispatch for dispatch, _ in again.told("end")) == ["0", "1", "2"]


def test_sigterm_lets_the_running_finish_and_gives_the_rest_back(start, work, broker):
    workers = start()
    for dispatch in range(5):
        work.send(ROW, dispatch)
    work.send_with_options(args=(ROW, 99), delay=60_000)
    eventually(lambda: workers.told("begin"))
    workers.master.send_signal(signal.SIGTERM)
    eventually(lambda: "Shutting down" in workers.log.read_text())
    workers.effects.set("go", 1)
    assert workers.master.wait(10) == 0
    assert len(workers.told("begin")) == len(workers.told("end")) == 1
    assert broker.client.llen("dramatiq:q") == 4
    assert broker.client.llen("dramatiq:q.DQ") == 1
    assert not broker.client.keys("dramatiq:__acks__.*")
    assert "threads are dead" not in workers.log.read_text()


def test_a_process_with_a_dead_thread_ends_itself(start, kill_a_thread):
    workers = start()
    kill_a_thread.send(ROW, 1)
    workers.master.wait(10)
    assert "threads are dead" in workers.log.read_text()
