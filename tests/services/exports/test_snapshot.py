"""An export is the state of one moment, whatever happens meanwhile; and it costs the same few queries."""

from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from project.models import Issue, IssueLabel
from project.services.exports import archive as archive_module
from project.services.exports.snapshot import BATCH, Snapshot, opened
from tests.factories import make_issue, make_label, make_team
from tests.services.exports.crowd import make_issues
from tests.services.exports.exporting import LIMITS, depot, exported_json, make, requested

pytestmark = pytest.mark.django_db(transaction=True)


def test_what_changes_while_it_is_read_does_not_show(monkeypatch):
    team = make_team()
    make_issues(team, 2 * BATCH)
    last = Issue.objects.get(sequence_id=2 * BATCH)
    make_label(team, "bug", last)
    read = Snapshot.batches
    changed = []

    def changing(*args):
        for batch in read(*args):
            if not changed:
                changed.append(True)
                Issue.objects.filter(id=last.id).update(name="renamed")
                Issue.objects.filter(sequence_id=2 * BATCH - 1).update(deleted_at=timezone.now())
                IssueLabel.objects.update(deleted_at=timezone.now())
                make_issue(team, sequence_id=2 * BATCH + 1)
            yield batch

    monkeypatch.setattr(Snapshot, "batches", changing)
    rows = exported_json(team)
    assert changed
    assert len(rows) == 2 * BATCH
    assert (rows[-1]["name"], rows[-1]["labels"]) == (f"Issue {2 * BATCH}", ["bug"])


def test_statistics_that_lag_behind_an_import_do_not_make_it_slow():
    team = make_team()
    make_issue(team, sequence_id=100_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    make_issues(team, 1500)
    assert make(requested(team), depot(export_time=timedelta(seconds=10))).rows_done == 1501


def test_it_cannot_write():
    with opened("UTC", LIMITS.export_time) as snapshot, pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        snapshot.number("DELETE FROM issues RETURNING 1", {})


def test_a_short_time_limit_of_the_role_does_not_end_it():
    team = make_team()
    make_issue(team)
    with connection.cursor() as cursor:
        cursor.execute("ALTER ROLE CURRENT_USER SET statement_timeout = 100")
    try:
        with opened("UTC", LIMITS.export_time) as snapshot:
            assert snapshot.number("SELECT 1 FROM pg_sleep(0.3)", {}) == 1
    finally:
        with connection.cursor() as cursor:
            cursor.execute("ALTER ROLE CURRENT_USER RESET statement_timeout")


def test_its_own_limit_does():
    with (
        opened("UTC", LIMITS.export_heartbeat / 10) as snapshot,
        pytest.raises(psycopg.errors.QueryCanceled),
    ):
        snapshot.number("SELECT 1 FROM pg_sleep(5)", {})


@pytest.mark.parametrize("issues", [3, 30])
def test_the_number_of_queries_does_not_hang_on_the_number_of_issues(issues, monkeypatch):
    team = make_team()
    for number in range(issues):
        make_label(team, f"label {number}", make_issue(team, assignees=[team.members["bob"]]))
    asked = []
    for name in ("number", "batches"):
        original = getattr(Snapshot, name)
        monkeypatch.setattr(
            Snapshot, name, lambda *args, original=original: asked.append(args[1]) or original(*args)
        )
    assert len(exported_json(team)) == issues
    assert len(asked) == 2


def test_no_transaction_is_open_in_the_worker_while_it_is_made(monkeypatch):
    team = make_team()
    make_issue(team)
    open_ = []
    original = archive_module.csv_file

    def watched(*args):
        open_.append(connection.in_atomic_block)
        return original(*args)

    monkeypatch.setattr(archive_module, "csv_file", watched)
    assert make(requested(team)).status == "completed"
    assert open_ == [False]


def test_a_snapshot_is_closed_at_its_end():
    with opened("UTC", LIMITS.export_time) as snapshot:
        database = snapshot._database
        for _ in snapshot.batches("SELECT * FROM generate_series(1, 100000)", {}):
            break
    assert database.closed
