"""The whole way through the queue: a request's wake-up, a worker, an archive."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone
from dramatiq import Worker, get_broker

from project.actors.exports import DEPOT, expire_exports, remove_orphaned_archives, run_export
from project.actors.maintenance import sweep
from project.actors.wakes import send_wakes
from project.models import Exporter, ExportRun, Wake
from project.services.exports.run import Depot
from project.services.maintenance.schedule import IncompleteError
from tests.factories import Team, make_issue, make_team
from tests.services.exports.exporting import fetched, requested
from tests.services.exports.meanwhile import until
from tests.services.exports.refusing import Refusing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team() -> Team:
    team = make_team()
    make_issue(team)
    return team


@pytest.fixture
def worker(redis_server: str) -> Iterator[None]:
    worker = Worker(get_broker(), queues={"exports"}, worker_threads=2, worker_timeout=100)
    worker.start()
    yield
    worker.stop()


def status(export: Exporter) -> str:
    return ExportRun.objects.values_list("status", flat=True).get(export=export)


def test_a_wake_up_becomes_an_archive_once(team, worker):
    export = requested(team)
    send_wakes(run_export, [Wake(export.id, 1)] * 3)
    until(lambda: status(export) == "completed")
    assert fetched(export)
    assert ExportRun.objects.get(export=export).attempt == 1


def test_a_lost_wake_up_is_sent_by_the_sweep(team, worker):
    export = requested(team, now=timezone.now() - timedelta(minutes=5))
    sweep.fn()
    until(lambda: status(export) == "completed")


def test_the_periodic_actors_remove_what_is_over(team):
    export = requested(team)
    run_export.fn(str(export.id), 1)
    ExportRun.objects.update(expires_at=timezone.now())
    assert expire_exports.fn.__wrapped__() == "removed 1"
    assert remove_orphaned_archives.fn.__wrapped__().startswith("removed ")
    assert status(export) == "expired"


def test_a_store_that_lets_nothing_be_removed_fails_the_run(team, monkeypatch):
    export = requested(team)
    run_export.fn(str(export.id), 1)
    ExportRun.objects.update(expires_at=timezone.now())
    refusing = Refusing(lambda _: True)
    monkeypatch.setattr("project.actors.exports.DEPOT", Depot(refusing, "", DEPOT.limits))
    with pytest.raises(IncompleteError, match=r"^removed 0, failed 1$"):
        expire_exports.fn()
    ExportRun.objects.update(status="expired")  # so its archive is nobody's
    with pytest.raises(IncompleteError, match=r"failed \d+$"):
        remove_orphaned_archives.fn()
