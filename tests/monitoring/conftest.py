from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from dramatiq import Worker, get_broker
from dramatiq.middleware import Middleware

from project.actors.digests import OUTBOX, send_digest
from project.actors.wakes import send_wakes
from project.models import EmailDigest
from project.queue import metrics
from project.services.digests.claim import claim
from project.services.digests.connections import Connections
from tests.conftest import SmtpSink
from tests.factories import make_issue, make_team
from tests.monitoring.figures import TOKEN
from tests.services.digests.lines import make_activity, make_log
from tests.services.exports.meanwhile import until


@pytest.fixture(autouse=True)
def token(settings) -> None:
    settings.METRICS_TOKEN = TOKEN


@pytest.fixture
def fresh_counts() -> Iterator[None]:
    metrics._counts.clear()
    yield
    metrics._counts.clear()


@pytest.fixture
def worker(redis_server: str, fresh_counts: None) -> Iterator[Worker]:
    """A worker at all queues, in this process."""
    worker = Worker(get_broker(), worker_threads=2, worker_timeout=100)
    worker.start()
    yield worker
    worker.stop()


class LeavesAtOnce(Middleware):
    """Closes the connection of the worker's thread, which only the thread can."""

    def after_process_message(self, broker, message, *, result=None, exception=None) -> None:
        OUTBOX.connections.close()


@pytest.fixture
def post_office(smtp_sink: SmtpSink, worker: Worker, settings, monkeypatch) -> Iterator[SmtpSink]:
    """A mail server, and the worker that hands mails to it."""
    monkeypatch.setattr(OUTBOX, "connections", Connections(settings.MAIL_SERVER, settings.LIMITS))
    leaves = LeavesAtOnce()
    get_broker().add_middleware(leaves)
    yield smtp_sink
    get_broker().middleware.remove(leaves)


@pytest.fixture
def mailed(post_office: SmtpSink, settings) -> EmailDigest:
    """A digest whose news was 400 seconds old when the mail server took it, with its counts in Redis."""
    team = make_team()
    make_log(
        team.members["bob"],
        make_activity(make_issue(team), team.members["ann"]),
        created_at=timezone.now() - timedelta(seconds=400),
    )
    send_wakes(send_digest, claim(now=timezone.now(), limits=settings.LIMITS))
    until(lambda: EmailDigest.objects.get().status == "sent")
    until(lambda: metrics._counts["jobs|send_digest|done"])
    metrics.flush(get_broker().client)
    return EmailDigest.objects.get()
