"""How attempts end: completed, failed with a reason, put off, cancelled, lost; and what they leave behind."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.conf import settings
from django.utils import timezone

from project.demo.ports import free_port
from project.services.exports import failures, plan
from project.services.exports import run as running
from project.services.exports.archive import Archive
from project.services.exports.attempts import begin
from project.services.exports.names import Key
from project.services.exports.run import Depot
from project.services.exports.storage import Storage
from tests.factories import Team, make_issue, make_team
from tests.services.exports.crowd import make_issues
from tests.services.exports.exporting import LIMITS, SITE, depot, fetched, make, requested, storage
from tests.services.exports.meanwhile import behind, left, made_meanwhile, run_of, until
from tests.tcp_proxy import Proxy
from tests.tcp_proxy import running as running_proxy

pytestmark = pytest.mark.django_db(transaction=True)


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


def test_two_exports_at_the_same_time_do_not_mix(team):
    other = make_team("other")
    make_issues(other, 10)
    exports = [requested(team), requested(other)]
    with made_meanwhile(exports[0], depot()), made_meanwhile(exports[1], depot()):
        pass
    assert [run_of(export).rows_done for export in exports] == [1, 10]
