import threading
import time
from uuid import uuid4

import dramatiq
import pytest
from dramatiq.middleware import Middleware, Retries, Shutdown, SkipMessage, TimeLimit

from project.queue import actor
from tests.queue.conftest import eventually, stack, working
from tests.queue.test_dedup import empty, letters

ROW = str(uuid4())


def fail_while_redis_is_down(broker, server, declare) -> list[int]:
    """Let an actor fail during an outage; returns its runs (up to two)."""
    runs: list[int] = []
    down, up = threading.Event(), threading.Event()

    def job(row_id: str, dispatch: int) -> None:
        runs.append(len(runs) + 1)
        if len(runs) == 1:
            down.set()
            up.wait(10)
            raise ValueError("while Redis is down")

    with working(broker):
        declare(job).send(ROW, 1)
        assert down.wait(10)
        server.kill()
        up.set()
        time.sleep(0.5)
        server.start()
        eventually(lambda: empty(broker))
    return runs


def test_stock_retries_lose_a_message_that_fails_while_redis_is_down(server, make_stock):
    broker = make_stock(Retries(min_backoff=50, max_backoff=100))
    runs = fail_while_redis_is_down(broker, server, dramatiq.actor(queue_name="q", broker=broker))
    with server.client() as client:
        left = [key for key in client.scan_iter() if not key.startswith(b"dramatiq:__")]
    assert (runs, left) == ([1], [])


def test_ours_retry_when_redis_is_back(server, broker):
    runs = fail_while_redis_is_down(broker, server, actor(queue_name="q", broker=broker))
    assert runs == [1, 2]
    assert letters(broker) == []


class NoRetries(Middleware):
    """A middleware that tries to drop a message when it is enqueued, which dramatiq has no way for."""

    def before_enqueue(self, broker, message, delay):
        if delay is not None:
            raise SkipMessage("dropped")


def test_what_cannot_be_enqueued_again_is_a_dead_letter_and_not_lost(make_broker):
    broker = make_broker([*stack(), NoRetries()])

    @actor(queue_name="q", broker=broker)
    def job(row_id: str, dispatch: int) -> None:
        raise ValueError("once")

    with working(broker):
        job.send(ROW, 1)
        eventually(lambda: letters(broker))
    [letter] = letters(broker)
    assert (letter.reason, letter.error) == ("retry could not be enqueued", "ValueError: once")


def test_stock_retries_lose_what_cannot_be_enqueued_again(server, make_stock):
    broker = make_stock(NoRetries(), Retries())
    ran = threading.Event()

    @dramatiq.actor(queue_name="q", broker=broker)
    def job() -> None:
        ran.set()
        raise ValueError("once")

    with working(broker):
        job.send()
        assert ran.wait(10)
        eventually(lambda: broker.do_qsize("q") == 0)
    with server.client() as client:
        assert client.zcard("dramatiq:q.XQ") == 0


def test_retries_end_among_the_dead_letters_with_the_last_error(broker):
    runs = []

    @actor(queue_name="q", broker=broker)
    def job(row_id: str, dispatch: int) -> None:
        runs.append(1)
        raise ValueError(f"error {len(runs)}")

    with working(broker):
        sent = job.send(ROW, 1)
        eventually(lambda: letters(broker))
    [letter] = letters(broker)
    attempts = broker.limits.retry_attempts + 1
    assert (letter.error, letter.attempts, len(runs)) == (f"ValueError: error {attempts}", attempts, attempts)
    assert letter.reason == "retries exhausted"
    assert f"error {attempts}" in letter.traceback
    assert (letter.actor, letter.message.args, letter.message.message_id) == (
        "job",
        (ROW, 1),
        sent.message_id,
    )


@pytest.mark.parametrize("options", [{"throws": ValueError}, {"max_retries": 0}])
def test_an_actor_may_refuse_retries(broker, options):
    @actor(queue_name="q", broker=broker, **options)
    def job(row_id: str, dispatch: int) -> None:
        raise ValueError("final")

    with working(broker):
        job.send(ROW, 1)
        eventually(lambda: letters(broker))
    assert letters(broker)[0].attempts == 1


def test_our_own_shutdown_spends_no_attempt(broker):
    runs = []

    @actor(queue_name="q", broker=broker, max_retries=0)
    def job(row_id: str, dispatch: int) -> None:
        runs.append(1)
        if len(runs) < 4:
            raise Shutdown

    with working(broker):
        job.send(ROW, 1)
        eventually(lambda: len(runs) == 4 and empty(broker))
    assert letters(broker) == []


class SlowEnding(Middleware):
    """An after-hook that outlasts the time limit, as any of them does while Redis is down."""

    def after_process_message(self, broker, message, *, result=None, exception=None):
        deadline = time.monotonic() + 0.6
        while time.monotonic() < deadline:
            time.sleep(0.01)


def run_into_time_limit(broker) -> bool:
    """Whether the worker's thread survives an after-hook that is slower than the time limit."""

    @dramatiq.actor(queue_name="q", broker=broker)
    def job() -> None:
        raise ValueError("just before the limit")

    with working(broker, threads=1) as worker:
        broker.emit_after("process_boot")
        job.send()
        eventually(lambda: broker.do_qsize("q") == 0)
        return worker.workers[0].is_alive()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_hooks_after_the_time_limit_in_the_list_kill_the_thread(make_stock):
    """And the message is acknowledged, unprocessed: the queue is empty."""
    limit = TimeLimit(time_limit=200, interval=20)
    assert not run_into_time_limit(make_stock(limit, SlowEnding()))


def test_hooks_before_the_time_limit_in_the_list_may_take_their_time(make_stock):
    limit = TimeLimit(time_limit=200, interval=20)
    assert run_into_time_limit(make_stock(SlowEnding(), limit))


def test_a_retry_that_waits_for_redis_longer_than_the_time_limit_survives(server, broker):
    broker.emit_after("process_boot")  # starts the clock of the time limit
    runs = fail_while_redis_is_down(broker, server, actor(queue_name="q", broker=broker, time_limit=300))
    assert runs == [1, 2]
