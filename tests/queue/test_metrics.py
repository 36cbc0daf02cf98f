import pytest
import redis

from project.queue import metrics
from project.queue.metrics import Counted, count, flush, totals


@pytest.fixture
def client(server):
    metrics._counts.clear()
    with server.client() as client:
        yield client
    metrics._counts.clear()


def test_counts_of_all_processes_add_up(client):
    count(Counted.CLAIMED, 2)
    flush(client)
    flush(client)
    count(Counted.CLAIMED)
    flush(client)
    assert totals(client)[Counted.CLAIMED] == 3
    assert totals(client)[Counted.POISONED] == 0


def test_counts_wait_for_redis(client, server):
    count(Counted.FAIL_OPEN)
    server.kill()
    with pytest.raises(redis.RedisError):
        flush(client)
    server.start()
    flush(client)
    assert totals(client)[Counted.FAIL_OPEN] == 1
