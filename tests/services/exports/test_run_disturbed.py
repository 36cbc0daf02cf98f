"""What happens in the middle of an attempt: cancels, interrupts, slow stores, a lost database."""

from collections.abc import Iterator
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from project.services.exports import failures
from project.services.exports.archive import Archive
from project.services.exports.cancel import cancel
from tests.factories import Team, make_issue, make_team
from tests.services.exports.crowd import make_issues
from tests.services.exports.exporting import depot, make, requested
from tests.services.exports.meanwhile import (
    behind,
    cancel_elsewhere,
    left,
    made_meanwhile,
    run_of,
    status_elsewhere,
    until,
)
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


def test_a_cancel_gives_the_snapshot_up_while_the_store_still_takes_its_time(team, proxy):
    big = make_team("big")
    make_issues(big, 3000, size=12_000)
    export = requested(big)
    proxy.hold_after = 1_000_000
    with made_meanwhile(export, behind(proxy.port)) as thread:
        until(lambda: proxy.holds)
        until(lambda: snapshots() == 1)
        assert cancel(export, now=timezone.now())
        assert until(lambda: snapshots() == 0) < 2
        assert thread.is_alive()
        proxy.release()
    assert run_of(export).status == "cancelled"
    assert left(export) == []


def snapshots() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT FROM pg_stat_activity WHERE state IN ('active', 'idle in transaction')"
            " AND query LIKE '%|| issue.sequence_id%' AND pid <> pg_backend_pid()"
        )
        return int(cursor.rowcount)


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
