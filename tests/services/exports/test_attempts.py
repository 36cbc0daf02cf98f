import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection

from project.models import Exporter, ExportRun, ExportStatus, advance
from project.services.exports import attempts
from project.services.exports.attempts import Attempt
from project.services.exports.cancel import cancel, delete
from project.services.exports.scope import Scope
from project.services.exports.upload import Stored
from tests.factories import make_team
from tests.services.exports.exporting import LIMITS, moment, requested

pytestmark = pytest.mark.django_db(transaction=True)
NOW = moment("2026-03-04T05:06:07")
STORED = Stored("exports/x.zip", 7, "0" * 64)


@pytest.fixture
def export() -> Exporter:
    return requested(make_team(), now=NOW)


def begin(export: Exporter, dispatch: int = 1, **limits: object) -> Attempt | None:
    return attempts.begin(export.id, dispatch, owner=uuid4(), now=NOW, limits=replace(LIMITS, **limits))


def complete(attempt: Attempt) -> bool:
    attempts.note_snapshot(attempt, at=NOW, scope=Scope(), total=3)
    return attempts.complete(attempt, STORED, rows=3, cut=1, now=NOW, limits=LIMITS)


def run_of(export: Exporter) -> ExportRun:
    """The run; and Plane's columns say the same."""
    run = ExportRun.objects.select_related("export").get(export=export)
    assert (run.export.status, run.export.reason) == (run.status, run.reason)
    return run


def test_an_attempt_is_begun_counted_and_owned(export):
    attempt = begin(export)
    run = run_of(export)
    assert (run.status, run.attempt, run.owner) == ("processing", 1, attempt.owner)
    assert (run.started_at, run.progress_at, run.unanswered) == (NOW, NOW, 1)


def test_the_fence_lets_an_owner_pass_once_and_the_row_is_whole(export):
    attempt = begin(export)
    assert complete(attempt)
    assert not complete(attempt)
    run = run_of(export)
    assert (run.status, run.key, run.size, run.sha256) == ("completed", *STORED)
    assert (run.rows_done, run.rows_total, run.cut_cells, run.ended_at) == (3, 3, 1, NOW)
    assert run.expires_at == NOW + timedelta(days=8)
    assert run.export.key == STORED.key


def test_a_take_over_makes_the_late_owner_fail_its_fence_and_every_later_write(export):
    late, heir = begin(export), begin(export)
    assert (late.number, heir.number) == (1, 2)
    assert not attempts.note_progress(late, rows=1, now=NOW)
    assert not complete(late)
    attempts.give_back(late)
    attempts.put_off(late, until=NOW, reason="late")
    attempts.fail(late, "late", now=NOW, limits=LIMITS)
    assert run_of(export).status == "processing"
    assert attempts.note_progress(heir, rows=1, now=NOW)
    assert complete(heir)


def test_of_many_workers_at_the_same_moment_one_passes_the_fence(export):
    start = threading.Barrier(8)

    def work(_: int) -> bool:
        start.wait(10)
        attempt = begin(export, export_reclaims=100)
        passed = attempt is not None and complete(attempt)
        connection.close()
        return passed

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(8))) == 1


def test_attempts_that_kill_their_worker_are_bounded(export):
    started = [begin(export) for _ in range(LIMITS.export_reclaims + 2)]
    assert [bool(attempt) for attempt in started] == [True] * LIMITS.export_reclaims + [False, False]
    run = run_of(export)
    assert run.status == "failed"
    assert run.reason == "It was tried 3 times, and each time the worker that made it ended."


def test_put_off_is_a_new_dispatch_that_nobody_has_named_yet(export):
    attempts.put_off(begin(export), until=NOW + timedelta(minutes=1), reason="unreachable")
    run = run_of(export)
    assert (run.status, run.dispatch, run.failures, run.enqueued_at) == ("queued", 2, 1, None)
    assert run.due_at == NOW + timedelta(minutes=1)
    assert begin(export, 1) is None
    assert begin(export, 2).number == 2


def test_given_back_may_come_again_by_the_same_message(export):
    attempts.give_back(begin(export))
    run = run_of(export)
    assert (run.status, run.dispatch, run.unanswered, run.failures) == ("queued", 1, 0, 0)
    assert begin(export).number == 2


@pytest.mark.parametrize("begun", [False, True])
def test_a_cancel_ends_an_open_export_and_its_attempt_is_lost(export, begun):
    attempt = begin(export) if begun else None
    assert cancel(export, now=NOW)
    assert not cancel(export, now=NOW)
    assert run_of(export).status == "cancelled"
    assert begin(export) is None
    if attempt:
        assert not attempts.note_progress(attempt, rows=1, now=NOW)
        assert not complete(attempt)
        assert run_of(export).status == "cancelled"


def test_a_cancel_after_the_end_changes_nothing(export):
    complete(begin(export))
    assert not cancel(export, now=NOW)
    assert run_of(export).status == "completed"


def test_delete_cancels_what_is_open_and_lets_an_archive_expire(export):
    other = requested(make_team("other"), now=NOW)
    complete(begin(other))
    later = NOW + timedelta(hours=1)
    for one in (export, other):
        delete(one, now=later)
    assert run_of(export).status == "cancelled"
    assert (run_of(other).status, run_of(other).expires_at) == ("completed", later)
    assert not Exporter.objects.exists()


def test_an_unknown_export_is_nothing_to_do():
    assert attempts.begin(uuid4(), 1, owner=uuid4(), now=NOW, limits=LIMITS) is None


ALLOWED = {
    ("queued", "processing"),
    ("queued", "cancelled"),
    ("processing", "processing"),
    ("processing", "queued"),
    ("processing", "completed"),
    ("processing", "failed"),
    ("processing", "cancelled"),
    ("completed", "expired"),
    ("failed", "queued"),
}


def test_the_moves_are_these_and_no_others():
    moves = {(str(a), str(b)) for a, following in ExportRun.NEXT.items() for b in following}
    assert moves == ALLOWED
    assert set(ExportRun.NEXT) == set(ExportStatus)


@pytest.mark.parametrize(
    "broken",
    [
        {"status": "completed"},
        {"status": "failed", "ended_at": NOW},
        {"status": "processing"},
        {"status": "queued", "ended_at": NOW},
        {"status": "cancelled"},
    ],
)
def test_the_database_refuses_rows_that_contradict_themselves(export, broken):
    with pytest.raises(IntegrityError, match="export_"):
        ExportRun.objects.filter(export=export).update(**broken)


def test_rows_that_are_missing_keep_an_export_from_being_completed(export):
    attempt = begin(export)
    attempts.note_snapshot(attempt, at=NOW, scope=Scope(), total=4)
    with pytest.raises(IntegrityError, match="export_completed_is_whole"):
        attempts.complete(attempt, STORED, rows=3, cut=0, now=NOW, limits=LIMITS)


def test_what_has_ended_is_not_begun_again(export):
    complete(begin(export))
    assert begin(export) is None
    advance(ExportRun.objects.all(), to=ExportStatus.EXPIRED)
    assert begin(export) is None
