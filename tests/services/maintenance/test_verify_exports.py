"""Each check of the exports finds the break it is for, and sound ones have none."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from project.models import EmailNotificationLog, Exporter, ExportRun, Notification
from project.services.exports.attempts import begin, complete, fail, note_snapshot
from project.services.exports.cancel import cancel
from project.services.exports.expire import expire
from project.services.exports.scope import Scope
from project.services.exports.upload import Stored
from project.services.maintenance.verify import verify
from project.services.maintenance.verify_exports import BROKEN, LATE
from tests.factories import Team, make_team
from tests.services.digests.lines import NOW
from tests.services.exports.exporting import LIMITS, requested

pytestmark = pytest.mark.django_db
LONG_AGO = NOW - timedelta(hours=2)


class Removing:
    """A store that removes whatever it is told to."""

    def remove(self, found) -> None:
        """Done."""


@pytest.fixture
def team() -> Team:
    """Somebody has an export in every status, each of another kind or person."""
    team = make_team()
    for by in ("ann", "bob", "carl"):
        requested(team, "csv", by=by, now=NOW)
    begun(requested(team, "json", by="ann", now=NOW))
    completed(requested(team, "json", by="bob", now=NOW))
    completed(expired := requested(team, "json", by="carl", now=NOW))
    ExportRun.objects.filter(export=expired).update(expires_at=NOW)
    expire(storage=Removing(), now=NOW, limits=LIMITS)
    fail(begun(requested(team, "xlsx", by="ann", now=NOW)), "no store", now=NOW, limits=LIMITS)
    cancel(requested(team, "xlsx", by="bob", now=NOW), now=NOW)
    return team


def begun(export: Exporter):
    attempt = begin(export.id, 1, owner=uuid4(), now=NOW, limits=LIMITS)
    note_snapshot(attempt, at=NOW, scope=Scope(), total=3)
    return attempt


def completed(export: Exporter) -> None:
    key = f"exports/{export.workspace_id}/{export.id}/1.zip"
    stored = Stored(key=key, size=1, sha256="0" * 64)
    assert complete(begun(export), stored, rows=3, cut=0, now=NOW, limits=LIMITS)


def found() -> set[str]:
    return {finding.check.name for finding in verify(now=NOW, limits=LIMITS)}


def runs(status: str):
    return ExportRun.objects.filter(status=status)


def exports(status: str):
    return Exporter.objects.filter(status=status)


def told(model: type[Notification | EmailNotificationLog], status: str):
    return model._default_manager.filter(entity_identifier=runs(status).get().pk)


def unconstrained(name: str) -> None:
    """As in a table that was copied without its constraints; until the test's transaction is rolled back."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what is still to be checked would be in the way
        cursor.execute(f"ALTER TABLE export_runs DROP CONSTRAINT {name}")


def lose_a_run() -> None:
    runs("queued").first().delete()


def forget_an_end() -> None:
    unconstrained("export_ended_has_time")
    runs("cancelled").update(ended_at=None)


def forget_why() -> None:
    unconstrained("export_failed_has_reason")
    runs("failed").update(reason="")
    exports("failed").update(reason="")


def name_an_archive_before_its_time() -> None:
    runs("processing").update(key="exports/x")
    exports("processing").update(key="exports/x")


def name_another_attempts_archive() -> None:
    runs("completed").update(attempt=2)


@pytest.mark.parametrize(
    ("break_it", "check"),
    [
        (lose_a_run, "open_export_has_run"),
        (lambda: exports("processing").update(status="queued"), "export_mirrors_run"),
        (lambda: exports("failed").update(reason=""), "export_mirrors_run"),
        (lambda: exports("completed").update(key=""), "export_mirrors_run"),
        (forget_an_end, "export_end_is_whole"),
        (forget_why, "export_end_is_whole"),
        (lambda: runs("completed").update(sha256="abc"), "export_end_is_whole"),
        (lambda: runs("expired").update(size=None), "export_end_is_whole"),
        (lambda: runs("expired").update(rows_total=2), "export_end_is_whole"),
        (lambda: runs("expired").update(expires_at=None), "export_end_is_whole"),
        (name_an_archive_before_its_time, "export_names_its_own_archive"),
        (name_another_attempts_archive, "export_names_its_own_archive"),
        (lambda: told(Notification, "failed").delete(), "export_end_is_told"),
        (lambda: told(EmailNotificationLog, "completed").delete(), "export_end_is_told"),
        (lambda: told(EmailNotificationLog, "expired").delete(), "export_end_is_told"),
        (lambda: told(Notification, "completed").update(data={"export": {"dispatch": 2}}), "export_end_is_told"),
        (lambda: exports("expired").update(url="https://x.example"), "export_stores_no_link"),
        (lambda: runs("queued").update(due_at=LONG_AGO), "export_ends_in_time"),
        (lambda: runs("processing").update(progress_at=LONG_AGO), "export_ends_in_time"),
        (lambda: runs("completed").update(expires_at=LONG_AGO), "archive_is_removed_in_time"),
    ],
)  # fmt: skip
def test_a_break_is_found_by_its_check_and_by_no_other(team: Team, break_it: Callable, check: str):
    assert found() == set()
    break_it()
    assert found() == {check}


def test_every_check_is_broken_above():
    (mark,) = [m for m in test_a_break_is_found_by_its_check_and_by_no_other.pytestmark if m.args]
    assert {case[1] for case in mark.args[1]} == {check.name for check in (*BROKEN, *LATE)}


def test_what_was_told_longer_ago_than_that_is_kept_is_not_missed(team):
    told(Notification, "failed").delete()
    for age, broken in (
        (LIMITS.hard_delete_after - timedelta(seconds=1), {"export_end_is_told"}),
        (LIMITS.hard_delete_after, set()),
    ):
        runs("failed").update(ended_at=NOW - age)
        assert found() == broken


def test_an_export_of_planes_own_that_ended_needs_no_run(team):
    run = runs("completed").get()
    run.delete()
    assert found() == set()
