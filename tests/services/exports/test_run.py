"""How attempts end: completed, failed with a reason, put off, cancelled, lost; and what they leave behind."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from threading import Thread
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection, connections, transaction
from django.utils import timezone

from project.demo.ports import free_port
from project.models import Exporter, ExportRun
from project.services.exports import failures, plan
from project.services.exports import run as running
from project.services.exports.archive import Archive
from project.services.exports.attempts import begin
from project.services.exports.cancel import cancel
from project.services.exports.names import Key
from project.services.exports.run import Depot
from project.services.exports.storage import Storage
from tests.factories import Team, make_issue, make_team
from tests.services.exports.crowd import make_issues
from tests.services.exports.exporting import LIMITS, SITE, depot, fetched, make, requested, storage
from tests.tcp_proxy import Proxy
from tests.tcp_proxy import running as running_proxy

pytestmark = pytest.mark.django_db(transaction=True)
QUICK = {"export_heartbeat": timedelta(milliseconds=50)}


@pytest.fixture
def team() -> Team:
    team = make_team()
    make_issue(team)
    return team


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    port = urlsplit(settings.OBJECT_STORE.endpoint).port
    assert port
    with running_proxy(port) as proxy:
        yield proxy


def behind(port: int, **limits: Any) -> Depot:
    """A depot whose store is reached through a port of this machine."""
    store = replace(settings.OBJECT_STORE, endpoint=f"http://127.0.0.1:{port}")
    return Depot(Storage(store, store.endpoint), SITE, replace(LIMITS, **limits))


def left(export: Exporter) -> list[str]:
    """What the store holds of an export, unfinished uploads too."""
    return [found.key for found in storage().found(Key(export.workspace_id, export.id, 1).folder)]


def run_of(export: Exporter) -> ExportRun:
    return ExportRun.objects.get(export=export)


@contextmanager
def made_meanwhile(export: Exporter, depot: Depot) -> Iterator[Thread]:
    """Make the export in another thread."""

    def work() -> None:
        try:
            running.run(export.id, 1, owner=uuid4(), depot=depot, clock=timezone.now)
        finally:
            connections.close_all()

    thread = Thread(target=work)
    thread.start()
    yield thread
    thread.join(20)
    assert not thread.is_alive()


def until(condition: Callable[[], object], seconds: float = 10) -> float:
    """Wait for it, and return how long that took."""
    began = monotonic()
    while not condition():
        assert monotonic() - began < seconds
        sleep(0.02)
    return monotonic() - began


def test_a_completed_export_knows_its_archive(team):
    export = requested(team)
    run = make(export)
    archive = fetched(export)
    assert (run.status, run.reason, run.attempt) == ("completed", "", 1)
    assert (run.rows_total, run.rows_done, run.size) == (1, 1, len(archive))
    assert run.key == f"exports/{team.workspace.id}/{export.id}/1.zip"
    assert run.full_projects == [team.project.id]
    assert left(export) == [run.key]


def test_the_same_message_again_changes_nothing(team):
    export = requested(team)
    first = make(export)
    assert make(export).key == first.key
    assert run_of(export).attempt == 1


def test_a_worker_that_was_killed_is_taken_over_and_its_leftovers_go(team):
    export = requested(team)
    dead = begin(export.id, 1, owner=uuid4(), now=timezone.now(), limits=LIMITS)
    key = Key(export.workspace_id, export.id, dead.number)
    unfinished = storage()._client.create_multipart_upload(Bucket=settings.OBJECT_STORE.bucket, Key=str(key))
    assert unfinished["UploadId"]
    run = make(export)
    assert (run.status, run.attempt) == ("completed", 2)
    assert left(export) == [run.key]
    assert run.key.endswith("/2.zip")


def test_a_late_worker_fails_its_fence_and_removes_what_it_wrote(team, monkeypatch):
    export = requested(team)
    complete = running.complete

    def taken_over_meanwhile(*args: Any, **options: Any) -> bool:
        monkeypatch.setattr(running, "complete", complete)
        make(export)
        return complete(*args, **options)

    monkeypatch.setattr(running, "complete", taken_over_meanwhile)
    run = make(export)
    assert (run.status, run.attempt) == ("completed", 2)
    assert left(export) == [run.key]
    assert fetched(export)


@pytest.mark.parametrize("at_row", [0, 1500])
def test_a_mistake_of_ours_fails_with_a_reason_and_leaves_nothing(team, monkeypatch, at_row):
    stream = Archive.stream

    def breaks(archive: Archive) -> Iterator[bytes]:
        for number, piece in enumerate(stream(archive)):
            if number == at_row:
                raise ZeroDivisionError("secret")
            yield piece
        raise KeyError

    monkeypatch.setattr(Archive, "stream", breaks)
    export = requested(team)
    run = make(export)
    assert run.status == "failed"
    assert run.reason.startswith("Something unexpected went wrong (")
    assert "secret" not in run.reason
    assert left(export) == []


def test_fewer_rows_than_the_snapshot_has_is_a_failure(team, monkeypatch):
    monkeypatch.setattr(plan.query, "count", lambda condition: "SELECT 2")
    export = requested(team)
    run = make(export)
    assert (run.status, run.reason) == ("failed", failures.MISTAKE.format(kind="RowsMissingError"))
    assert left(export) == []


def test_a_store_that_is_away_is_tried_again_later_and_at_last_fails(team):
    export = requested(team)
    away = behind(free_port())
    for number, wait in enumerate(LIMITS.export_backoff, start=1):
        now = timezone.now()
        run = make(export, away, clock=lambda now=now: now)
        assert (run.status, run.reason, run.dispatch) == ("queued", failures.UNREACHABLE, number + 1)
        assert run.due_at == now + wait
    run = make(export, away)
    assert (run.status, run.reason) == ("failed", failures.UNREACHABLE)


def test_a_store_that_comes_back_gets_the_archive(team):
    export = requested(team)
    assert make(export, behind(free_port())).status == "queued"
    run = make(export)
    assert (run.status, run.reason, run.attempt) == ("completed", "", 2)


def test_a_store_that_breaks_off_in_the_middle_leaves_no_archive(team, proxy):
    export = requested(team)
    proxy.hold_after = 0
    with made_meanwhile(export, behind(proxy.port)):
        until(lambda: proxy.holds)
        proxy.cut()
    assert (run_of(export).status, run_of(export).reason) == ("queued", failures.UNREACHABLE)
    assert left(export) == []


@pytest.mark.parametrize(
    ("wrong", "code"),
    [({"bucket": "no-such-bucket"}, "NoSuchBucket"), ({"secret_key": "wrong"}, "SignatureDoesNotMatch")],
)
def test_a_store_that_refuses_us_fails_at_once_and_says_so(team, wrong, code):
    store = replace(settings.OBJECT_STORE, **wrong)
    run = make(requested(team), Depot(Storage(store, ""), SITE, LIMITS))
    assert (run.status, run.reason) == ("failed", failures.MISCONFIGURED.format(code=code))


def test_an_interrupt_gives_the_attempt_back(team, monkeypatch):
    def interrupt(_: Archive) -> Iterator[bytes]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(Archive, "stream", interrupt)
    export = requested(team)
    with pytest.raises(KeyboardInterrupt):
        make(export)
    assert (run_of(export).status, run_of(export).dispatch) == ("queued", 1)
    monkeypatch.undo()
    assert make(export).status == "completed"


def test_a_cancel_is_noticed_while_the_database_is_still_waiting(team):
    export = requested(team)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE issues IN ACCESS EXCLUSIVE MODE")
        with made_meanwhile(export, depot()) as thread:
            until(lambda: status_elsewhere(export) == "processing")
            assert cancel_elsewhere(export)
            assert until(lambda: not thread.is_alive()) < 2
    assert run_of(export).status == "cancelled"
    assert left(export) == []


def elsewhere(work: Callable[[], Any]) -> Any:
    """Do it in a connection of its own, outside of this test's transaction."""
    result = []

    def do() -> None:
        result.append(work())
        connections.close_all()

    thread = Thread(target=do)
    thread.start()
    thread.join(10)
    return result[0]


def status_elsewhere(export: Exporter) -> str:
    return str(elsewhere(lambda: run_of(export).status))


def cancel_elsewhere(export: Exporter) -> bool:
    return bool(elsewhere(lambda: cancel(export, now=timezone.now())))


def test_a_cancel_in_the_middle_of_the_upload_leaves_no_parts(team, proxy):
    big = make_team("big")
    make_issues(big, 1500, size=12_000)
    export = requested(big)
    proxy.hold_after = 1_000_000
    with made_meanwhile(export, behind(proxy.port)) as thread:
        until(lambda: proxy.holds)
        assert cancel(export, now=timezone.now())
        proxy.release()
        assert until(lambda: not thread.is_alive()) < 2
    assert run_of(export).status == "cancelled"
    assert left(export) == []


def test_progress_is_written_while_it_runs_and_is_a_sign_of_life(team, proxy):
    big = make_team("big")
    make_issues(big, 1500, size=12_000)
    export = requested(big)
    proxy.hold_after = 1_000_000
    with made_meanwhile(export, behind(proxy.port, **QUICK)):
        until(lambda: proxy.holds)
        until(lambda: run_of(export).rows_done)
        run = run_of(export)
        assert 0 < run.rows_done <= run.rows_total == 1500
        until(lambda: run_of(export).progress_at > run.progress_at)
        proxy.release()
    assert run_of(export).status == "completed"


def test_one_that_takes_too_long_fails_and_says_what_to_do(team):
    export = requested(team)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("LOCK TABLE issues IN ACCESS EXCLUSIVE MODE")
        impatient = depot(export_time=timedelta(milliseconds=200), **QUICK)
        with made_meanwhile(export, impatient):
            pass
    assert (run_of(export).status, run_of(export).reason) == ("failed", failures.TOO_LONG)


def test_a_lost_database_in_the_middle_is_tried_again(team, proxy):
    big = make_team("big")
    make_issues(big, 3000, size=12_000)
    export = requested(big)
    proxy.hold_after = 1_000_000
    with made_meanwhile(export, behind(proxy.port)):
        until(lambda: proxy.holds)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE state = 'active' AND query LIKE '%|| issue.sequence_id%' AND pid <> pg_backend_pid()"
            )
            assert cursor.rowcount == 1
        proxy.release()
    assert (run_of(export).status, run_of(export).reason) == ("queued", failures.DATABASE)
    assert left(export) == []


def test_two_exports_at_the_same_time_do_not_mix(team):
    other = make_team("other")
    make_issues(other, 10)
    exports = [requested(team), requested(other)]
    with made_meanwhile(exports[0], depot()), made_meanwhile(exports[1], depot()):
        pass
    assert [run_of(export).rows_done for export in exports] == [1, 10]
