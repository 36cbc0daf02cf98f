import time
from datetime import timedelta

import pytest
from dramatiq.middleware import raise_thread_exception

from project.queue.routine import Routine
from project.queue.watchdog import failing_threads
from tests.queue.conftest import eventually, working
from tests.queue.test_dedup import Job


def test_a_worker_without_redis_is_well(configure, make_broker, server):
    """A new process could do no better."""
    configure(recovery_budget=1.8)
    broker = make_broker()
    Job(broker)
    with working(broker) as worker:
        server.kill()
        time.sleep(2)
        assert failing_threads(broker, worker) == set()
        server.start()


def test_a_consumer_that_is_stuck_is_found(configure, make_broker, monkeypatch):
    configure(recovery_budget=1.8)
    broker = make_broker()
    Job(broker)
    with working(broker) as worker:
        eventually(lambda: set(worker.consumers) == {"q", "q.DQ"})
        monkeypatch.setattr(broker.pulse, "beat", lambda: None)
        eventually(lambda: failing_threads(broker, worker) == {"consumer of q", "consumer of q.DQ"})


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_dead_worker_thread_is_found(broker):
    Job(broker)
    with working(broker) as worker:
        victim = worker.workers[1]
        raise_thread_exception(victim.ident, SystemExit)
        eventually(lambda: failing_threads(broker, worker) == {victim.name})


def test_a_routine_outlives_its_failures(caplog):
    rounds = []

    def work() -> None:
        rounds.append(1)
        raise ValueError("this round only")

    routine = Routine("test", timedelta(milliseconds=10), work)
    routine.start()
    eventually(lambda: len(rounds) > 2)
    routine.stop()
    routine.join(5)
    assert not routine.is_alive()
    assert "this round only" in caplog.text
