"""The push, against an HTTP server that keeps what it gets."""

import importlib
import logging
from collections.abc import Iterator

import pytest

from project.actors.metrics import push_metrics
from project.demo.ports import free_port
from scheduler import schedule
from tests.monitoring.figures import Scrape
from tests.receiver import Receiver, receiving

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_server")]


@pytest.fixture
def gateway(settings) -> Iterator[Receiver]:
    with receiving() as gateway:
        settings.PUSHGATEWAY_URL = f"{gateway.url}/prefix"
        settings.SITE_URL = "https://tracker.example.org"
        yield gateway


def test_each_push_replaces_the_group_of_this_installation(gateway):
    push_metrics.fn()
    [(verb, path, body)] = gateway.got
    assert (verb, path) == ("PUT", "/prefix/metrics/job/singlepost/instance/tracker.example.org")
    assert Scrape(body.decode()).value("backlog_rows", kind="event", state="open") == 0


def test_a_gateway_that_refuses_or_is_gone_costs_a_log_line(gateway, settings, caplog):
    gateway.status = 500
    push_metrics.fn()
    settings.PUSHGATEWAY_URL = f"http://127.0.0.1:{free_port()}"
    push_metrics.fn()
    told = [(record.levelno, record.getMessage()) for record in caplog.records]
    assert told == [
        (logging.WARNING, "metrics not pushed: HTTPError"),
        (logging.WARNING, "metrics not pushed: URLError"),
    ]


def test_it_is_in_the_schedule_only_where_there_is_a_gateway(settings):
    def scheduled() -> bool:
        importlib.reload(schedule)
        return any(entry.actor is push_metrics for entry in schedule.SCHEDULE)

    before = scheduled()
    settings.PUSHGATEWAY_URL = "http://gateway.example.org:9091"
    during = scheduled()
    settings.PUSHGATEWAY_URL = ""
    assert (before, during, scheduled()) == (False, True, False)
