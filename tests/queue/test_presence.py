"""Who tells that they are alive, and who is missed."""

import time
from datetime import timedelta
from os import getpid
from threading import Event, Thread
from uuid import uuid4

from project.queue import actor, processes
from project.queue.processes import SCHEDULER, WORKER, Process, alive, beat, leave, silences
from tests.queue.conftest import eventually, working

SECOND = timedelta(seconds=1)
MINE = Process(WORKER, "host-a", 7, ("clock", "mail"))


def test_a_process_is_alive_until_it_leaves_or_falls_silent(server):
    with server.client() as client:
        beat(client, MINE)
        beat(client, Process(SCHEDULER, "host-b", 8))
        assert alive(client, WORKER, SECOND) == [MINE]
        client.zincrby(processes.KEY, -5000, MINE.encode())
        assert alive(client, WORKER, SECOND) == []
        assert 5 <= silences(client)[MINE] < 8
        beat(client, MINE)
        leave(client, MINE)
        assert alive(client, WORKER, SECOND) == []
        assert len(alive(client, SCHEDULER, SECOND)) == 1


def test_who_was_killed_is_forgotten_in_the_end(server):
    with server.client() as client:
        beat(client, MINE)
        client.zincrby(processes.KEY, -2 * 3600 * 1000, MINE.encode())
        beat(client, Process(WORKER, "host-a", 9))
        assert len(silences(client)) == 1


def test_a_worker_tells_its_queues_and_says_goodbye(broker, server):
    actor(queue_name="letters", broker=broker)(lambda: None)
    with server.client() as client:
        with working(broker):
            eventually(lambda: alive(client, WORKER, 5 * SECOND))
            [found] = alive(client, WORKER, 5 * SECOND)
            assert (found.pid, found.queues) == (getpid(), ("letters",))
        assert alive(client, WORKER, 5 * SECOND) == []


def test_a_worker_that_ends_is_alive_until_its_last_job_is_done(broker, server):
    go = Event()

    @actor(queue_name="letters", broker=broker)
    def wait(row_id: str, dispatch: int) -> None:
        go.wait(20)

    with server.client() as client:
        with working(broker) as worker:
            wait.send(str(uuid4()), 1)
            eventually(lambda: broker.held.get("letters"))
            eventually(lambda: alive(client, WORKER, 5 * SECOND))
            stopping = Thread(target=worker.stop)
            stopping.start()
            eventually(lambda: [p.queues for p in alive(client, WORKER, 5 * SECOND)] == [()])
            time.sleep(0.5)
            assert max(silences(client).values()) < 0.5
            go.set()
            stopping.join(10)
        assert alive(client, WORKER, 5 * SECOND) == []


def test_a_worker_whose_consumer_is_stuck_falls_silent(broker, server, monkeypatch):
    actor(queue_name="letters", broker=broker)(lambda: None)
    with server.client() as client, working(broker):
        eventually(lambda: alive(client, WORKER, 5 * SECOND))
        monkeypatch.setattr("project.queue.presence.failing_threads", lambda *_: {"consumer of letters"})
        time.sleep(0.5)
        before = min(silences(client).values())
        time.sleep(0.5)
        assert min(silences(client).values()) > before + 0.4
