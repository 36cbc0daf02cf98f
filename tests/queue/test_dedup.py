import threading
import time
from uuid import uuid4

from dramatiq.middleware import Middleware, SkipMessage

from project.queue import actor
from project.queue.dead_letter import Wanted
from project.queue.dead_letters import DeadLetters
from project.queue.metrics import Counted, totals
from tests.queue.conftest import eventually, stack, working

ROW = str(uuid4())


def counted(broker, what: Counted) -> int:
    return totals(broker.client)[what]


def letters(broker, queue="q"):
    return list(DeadLetters(broker).search(queue, Wanted()))


def empty(broker, queue="q") -> bool:
    return broker.do_qsize(queue) == 0


class Job:
    """An actor that tells how often it ran, and that waits when told so."""

    def __init__(self, broker, **options):
        self.runs, self.together, self.most_together = 0, 0, 0
        self.go = threading.Event()
        self.go.set()

        def job(row_id: str, dispatch: int) -> None:
            self.together += 1
            self.most_together = max(self.together, self.most_together)
            self.go.wait(10)
            self.runs += 1
            self.together -= 1

        self.actor = actor(queue_name="q", broker=broker, **options)(job)


def test_what_is_done_is_dropped(broker):
    job = Job(broker)
    with working(broker):
        for _ in range(5):
            job.actor.send(ROW, 1)
        eventually(lambda: empty(broker))
        job.actor.send(ROW, 1)
        eventually(lambda: empty(broker))
        assert job.runs == 1
        job.actor.send(ROW, 2)
        eventually(lambda: job.runs == 2)


def test_a_duplicate_of_running_work_is_put_off_and_dropped_when_that_is_done(broker):
    job = Job(broker)
    job.go.clear()
    with working(broker):
        job.actor.send(ROW, 1)
        eventually(lambda: job.together == 1)
        job.actor.send(ROW, 1)
        eventually(lambda: counted(broker, Counted.PUT_OFF) == 1)
        job.go.set()
        eventually(lambda: empty(broker))
    assert (job.runs, job.most_together) == (1, 1)
    assert letters(broker) == []


def test_a_put_off_copy_outlives_the_running_one(broker, make_broker):
    """The worst case of a kill: the owner and its own entry vanish, only the put-off copy is left."""
    job = Job(broker)
    dedup = next(m for m in broker.middleware if type(m).__name__ == "Dedup")
    message = job.actor.message(ROW, 1)
    dedup._ledger.claim(message.message_id, "of a worker that was killed")
    with working(broker):
        broker.enqueue(message)
        eventually(lambda: job.runs == 1)


def test_endless_put_offs_end_among_the_dead_letters(configure, make_broker):
    configure(busy_deferrals=1)
    broker = make_broker()
    job = Job(broker)
    job.go.clear()
    with working(broker):
        job.actor.send(ROW, 1)
        eventually(lambda: job.together == 1)
        job.actor.send(ROW, 1)
        eventually(lambda: letters(broker))
        job.go.set()
    assert "put off 1 times" in letters(broker)[0].reason


def test_a_failed_run_frees_the_name_for_its_retry(broker):
    runs = []

    @actor(queue_name="q", broker=broker)
    def job(row_id: str, dispatch: int) -> None:
        runs.append(time.monotonic())
        if len(runs) < 3:
            raise ValueError("not yet")

    with working(broker):
        job.send(ROW, 1)
        eventually(lambda: len(runs) == 3 and empty(broker))
    assert counted(broker, Counted.TAKEN_OVER) == 0
    assert counted(broker, Counted.PUT_OFF) == 0


def test_a_skip_by_a_later_middleware_frees_the_name(make_broker):
    class SkipOnce(Middleware):
        skipped = False

        def before_process_message(self, broker, message):
            if not self.skipped:
                self.skipped = True
                raise SkipMessage("once")

    broker = make_broker([*stack(), SkipOnce()])
    job = Job(broker)
    with working(broker):
        job.actor.send(ROW, 1)
        eventually(lambda: empty(broker))
        job.actor.send(ROW, 1)
        eventually(lambda: job.runs == 1)


def test_a_long_run_keeps_its_lease(broker):
    job = Job(broker)
    job.go.clear()
    with working(broker):
        job.actor.send(ROW, 1)
        eventually(lambda: job.together == 1)
        time.sleep(broker.limits.lease.total_seconds() * 1.2)
        job.actor.send(ROW, 1)
        eventually(lambda: counted(broker, Counted.PUT_OFF) == 1)
        job.go.set()
        eventually(lambda: empty(broker))
    assert job.most_together == 1


def test_an_end_that_is_somebody_elses_to_say_is_counted(broker):
    job = Job(broker)
    job.go.clear()
    ledger = next(m for m in broker.middleware if type(m).__name__ == "Dedup")._ledger
    message = job.actor.message(ROW, 1)
    with working(broker):
        broker.enqueue(message)
        eventually(lambda: job.together == 1)
        ledger._client.set(f"dd:{message.message_id}", "Rof the heir", px=60_000)
        job.go.set()
        eventually(lambda: counted(broker, Counted.SETTLEMENT_REFUSED) == 1)
    assert ledger._client.get(f"dd:{message.message_id}") == b"Rof the heir"


def test_a_wiped_redis_learns_again_what_runs(broker, server):
    job = Job(broker)
    job.go.clear()
    with working(broker):
        job.actor.send(ROW, 1)
        eventually(lambda: job.together == 1)
        with server.client() as client:
            client.flushall()
        with server.client(1) as client:
            eventually(client.dbsize)
        job.actor.send(ROW, 1)
        eventually(lambda: counted(broker, Counted.PUT_OFF) == 1)
        job.go.set()
        eventually(lambda: empty(broker))
    assert (job.runs, job.most_together) == (1, 1)


def test_a_message_that_kills_its_workers_becomes_a_dead_letter(broker):
    job = Job(broker)
    ledger = next(m for m in broker.middleware if type(m).__name__ == "Dedup")._ledger
    message = job.actor.message(ROW, 1)
    for n in range(broker.limits.delivery_limit):
        ledger.claim(message.message_id, f"killed {n}")
        ledger._client.delete(f"dd:{message.message_id}")  # the lease of the killed worker runs out
    with working(broker):
        broker.enqueue(message)
        eventually(lambda: letters(broker))
        assert letters(broker)[0].reason == "poison: 3 deliveries ended without an outcome"
        DeadLetters(broker).requeue(letters(broker)[0])
        eventually(lambda: job.runs == 1)  # an operator's order counts anew


def test_without_the_ledger_work_runs_and_says_so(configure, make_broker, settings, caplog):
    """Any other exception in a before-hook would run the actor, too, but silently; this one is decided."""
    configure()
    settings.DEDUP_REDIS_URL = "redis://127.0.0.1:1/1"
    broker = make_broker()
    job = Job(broker)
    with working(broker):
        started = time.monotonic()
        job.actor.send(ROW, 1)
        eventually(lambda: job.runs == 1)
        assert time.monotonic() - started < 2
        eventually(lambda: counted(broker, Counted.FAIL_OPEN) == 1)
    assert "runs without a claim" in caplog.text


def test_it_can_be_switched_off(broker):
    job = Job(broker, dedup=False)
    with working(broker):
        for _ in range(3):
            job.actor.send(ROW, 1)
        eventually(lambda: job.runs == 3)


def test_its_keys_lie_in_a_database_of_their_own(broker, server):
    """Dramatiq's maintenance runs KEYS over the broker's database, for each dead worker."""
    job = Job(broker)
    with working(broker):
        job.actor.send(ROW, 1)
        eventually(lambda: job.runs == 1 and empty(broker))
    with server.client(0) as queues, server.client(1) as ledger:
        assert not queues.keys("dd:*")
        assert len(ledger.keys()) == len(ledger.keys("dd:*")) == 1
