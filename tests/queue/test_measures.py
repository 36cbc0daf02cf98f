import pytest

from project.queue import metrics
from project.queue.measures import Durations, Tally
from project.queue.metrics import everything, flush

DONE = Tally("done", "what was done", ("actor", "outcome"))
PLAIN = Tally("plain", "without labels")
WAITS = Durations("waits", "how long", "phase", (0.1, 1.0))


@pytest.fixture
def client(server):
    metrics._counts.clear()
    with server.client() as client:
        yield client
    metrics._counts.clear()


def test_a_tally_adds_up_by_labels(client):
    DONE.add("send", "done")
    flush(client)
    DONE.add("send", "done", number=2)
    DONE.add("send", "dead")
    PLAIN.add()
    flush(client)
    stored = everything(client)
    assert DONE.read(stored) == {("send", "done"): 3, ("send", "dead"): 1}
    assert PLAIN.read(stored) == {(): 1}


def test_durations_fall_into_buckets_that_include_the_shorter_ones(client):
    for seconds in (0.05, 0.1, 0.5, 1.0, 7.0):
        WAITS.add(seconds, "dot")
    WAITS.add(0.25, "connect")
    flush(client)
    found = WAITS.read(everything(client))
    assert found["dot"].buckets == [("0.1", 2), ("1.0", 4), ("+Inf", 5)]
    assert found["dot"].total == pytest.approx(8.65)
    assert found["connect"].buckets == [("0.1", 0), ("1.0", 1), ("+Inf", 1)]


def test_nothing_measured_is_nothing_told(client):
    assert WAITS.read(everything(client)) == DONE.read(everything(client)) == {}
