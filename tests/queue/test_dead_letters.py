import threading
from datetime import UTC, datetime, timedelta
from itertools import islice
from uuid import uuid4

import pytest

from project.queue import actor
from project.queue.dead_letter import Wanted
from project.queue.dead_letters import DeadLetters, Outcome
from tests.queue.conftest import eventually, working

ROW = str(uuid4())


@pytest.fixture
def office(broker) -> DeadLetters:
    return DeadLetters(broker)


@pytest.fixture
def job(broker):
    @actor(queue_name="q", broker=broker, max_retries=0)
    def job(row_id: str, dispatch: int) -> None:
        if not job_may_succeed.is_set():
            raise ValueError(f"number {dispatch}")
        runs.append(dispatch)

    job_may_succeed.clear()
    runs.clear()
    return job


job_may_succeed = threading.Event()
runs: list[int] = []


def bury(broker, job, dispatches) -> None:
    consumer = broker.consume("q", prefetch=10_000, timeout=10)
    for dispatch in dispatches:
        job.send(ROW, dispatch)
        message = next(consumer)
        message.options["retries"] = 5
        message.stuff_exception(ValueError(f"number {dispatch}"))
        consumer.nack(message)
        broker.client.zincrby("dramatiq:q.XQ", dispatch, message.options["redis_message_id"])


def numbers(letters) -> list[int]:
    return [letter.message.args[1] for letter in letters]


def test_they_are_counted_by_queue(office, broker, job):
    broker.declare_queue("another")
    bury(broker, job, range(3))
    assert office.counts() == {"another": 0, "q": 3}


@pytest.fixture
def small_batches(monkeypatch) -> None:
    monkeypatch.setattr("project.queue.dead_letters._BATCH", 20)


def test_they_are_listed_from_the_oldest_on_and_page_by_page(office, broker, job, small_batches):
    bury(broker, job, range(45))
    first = list(islice(office.search("q", Wanted()), 13))
    rest = list(office.search("q", Wanted(), after=first[-1].cursor))
    assert numbers(first + rest) == list(range(45))


def test_a_page_may_end_among_many_of_one_millisecond(office, broker, job, small_batches):
    bury(broker, job, range(45))
    broker.client.zadd("dramatiq:q.XQ", dict.fromkeys(broker.client.zrange("dramatiq:q.XQ", 0, -1), 1000))
    first = list(islice(office.search("q", Wanted()), 43))
    rest = list(office.search("q", Wanted(), after=first[-1].cursor))
    assert sorted(numbers(first + rest)) == list(range(45))


def test_they_are_found_by_actor_error_and_age(office, broker, job):
    bury(broker, job, range(3))
    now = datetime.now(UTC)
    assert numbers(office.search("q", Wanted(error="NUMBER 1"))) == [1]
    assert numbers(office.search("q", Wanted(error="valueerror"))) == [0, 1, 2]
    assert numbers(office.search("q", Wanted(actor="job", until=now + timedelta(seconds=1)))) == [0, 1, 2]
    assert numbers(office.search("q", Wanted(actor="other"))) == []
    assert numbers(office.search("q", Wanted(since=now + timedelta(seconds=1)))) == []
    [letter] = office.search("q", Wanted(error="number 2"))
    assert abs(letter.died_at - now) < timedelta(seconds=5)
    assert office.get("q", letter.entry_id) == letter
    assert office.get("q", "none") is None


def test_a_requeued_one_runs_afresh(office, broker, job):
    """With the same message id, no retries spent, and an age that begins now."""
    with working(broker):
        sent = job.send(ROW, 1)
        eventually(lambda: office.counts()["q"] == 1)
        [letter] = office.search("q", Wanted())
        job_may_succeed.set()
        assert office.requeue(letter) is Outcome.REQUEUED
        eventually(lambda: runs == [1])
        assert letter.message.message_id == sent.message_id
    assert office.counts()["q"] == 0
    revived = letter.revived("new", 7)
    again = type(letter.message).decode(revived)
    assert again.options == {"redis_message_id": "new"}
    assert again.message_timestamp == 7


def test_a_requeued_one_whose_work_is_done_is_dropped(office, broker, job):
    with working(broker):
        job.send(ROW, 1)
        eventually(lambda: office.counts()["q"] == 1)
        job_may_succeed.set()
        job.send(ROW, 1)
        eventually(lambda: runs == [1] and broker.do_qsize("q") == 0)
        [letter] = office.search("q", Wanted())
        office.requeue(letter)
        eventually(lambda: broker.do_qsize("q") == 0)
    assert runs == [1]


def test_of_two_operators_one_wins(office, broker, job):
    bury(broker, job, range(50))
    letters = list(office.search("q", Wanted()))
    outcomes: list[Outcome] = []

    def order() -> None:
        outcomes.extend(office.requeue(letter) for letter in letters)

    operators = [threading.Thread(target=order) for _ in range(3)]
    for operator in operators:
        operator.start()
    for operator in operators:
        operator.join(10)
    assert outcomes.count(Outcome.REQUEUED) == 50
    assert outcomes.count(Outcome.GONE) == 100
    assert broker.client.llen("dramatiq:q") == 50


def test_one_that_was_changed_meanwhile_is_left_alone(office, broker, job):
    bury(broker, job, [1])
    [letter] = office.search("q", Wanted())
    broker.client.hset("dramatiq:q.XQ.msgs", letter.entry_id, b"{}")
    assert office.requeue(letter) is Outcome.CHANGED
    assert office.discard(letter) is Outcome.CHANGED
    assert office.counts()["q"] == 1


def test_an_unreadable_one_can_only_be_discarded(office, broker, job):
    broker.client.zadd("dramatiq:q.XQ", {"bad": 1, "nothing": 2})
    broker.client.hset("dramatiq:q.XQ.msgs", "bad", b"\x80")
    for letter in list(office.search("q", Wanted(error="unreadable"))):
        assert office.requeue(letter) is Outcome.UNREADABLE
        assert office.discard(letter) is Outcome.DISCARDED
        assert office.discard(letter) is Outcome.GONE
    assert broker.client.zcard("dramatiq:q.XQ") == broker.client.hlen("dramatiq:q.XQ.msgs") == 0


def test_they_expire(office, broker, job):
    bury(broker, job, [1, 2])
    kept, old = office.search("q", Wanted())
    broker.client.zadd("dramatiq:q.XQ", {old.entry_id: 1000})
    broker.do_maintain("q")
    assert list(office.search("q", Wanted())) == [kept]
    assert broker.client.hlen("dramatiq:q.XQ.msgs") == 1
