"""Each end of an export is told to its initiator: by one notification and one line to mail, or not at all."""

from typing import Any

import pytest

from project.models import EmailNotificationLog, Exporter, ExportRun, Notification, Order, Verb
from project.services.exports import attempts
from project.services.exports.attempts import complete, fail, give_back, note_snapshot, put_off
from project.services.exports.cancel import cancel
from project.services.exports.requeue import requeue
from project.services.exports.scope import Scope
from project.services.exports.telling import log_id, notification_id
from tests.factories import make_team
from tests.services.exports.ended import STORED, begun, completed, failed
from tests.services.exports.exporting import LIMITS, Wake, add_project, moment, requested

pytestmark = pytest.mark.django_db(transaction=True)
NOW = moment("2026-03-04T05:06:07")


def told(export: Exporter) -> dict[str, Any]:
    """What the one notification of the export tells; the one line tells the same."""
    row, line = Notification.objects.get(), EmailNotificationLog.objects.get()
    assert (row.data, row.entity_name, row.entity_identifier) == (line.data, "export", export.id)
    assert {row.receiver_id, line.receiver_id} == {export.initiated_by_id}
    assert (row.created_at, row.workspace_id, row.project_id) == (NOW, export.workspace_id, None)
    assert row.title == row.data["export"]["title"]
    return dict(row.data["export"])


def test_a_completed_export_is_told_with_what_it_holds() -> None:
    export = completed(make_team(), "xlsx", now=NOW, rows=1200, cut=2)
    assert told(export) == {
        "id": str(export.id),
        "dispatch": 1,
        "status": "completed",
        "title": "Your Excel export of Rocket is ready",
        "workspace_slug": "acme",
        "provider": "xlsx",
        "reason": "",
        "rows": 1200,
        "size": STORED.size,
        "cut_cells": 2,
        "offered_until": "2026-03-11T05:06:07+00:00",
    }
    assert Notification.objects.get().id == notification_id(export.id, 1)
    assert EmailNotificationLog.objects.get().id == log_id(export.id, 1)


def test_a_failed_one_is_told_with_its_reason() -> None:
    team = make_team()
    add_project(team, "Moon", "MOON")
    data = told(failed(team, "The store is away.", now=NOW))
    assert (data["title"], data["reason"]) == ("Your CSV export of Rocket failed", "The store is away.")
    assert (data["rows"], data["offered_until"]) == (None, None)


def test_an_end_that_cannot_be_told_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError

    export = requested(make_team(), now=NOW)
    attempt = begun(export, now=NOW)
    note_snapshot(attempt, at=NOW, scope=Scope(), total=3)
    monkeypatch.setattr(attempts, "tell", broken)
    with pytest.raises(RuntimeError):
        complete(attempt, STORED, rows=3, cut=0, now=NOW, limits=LIMITS)
    assert ExportRun.objects.get().status == "processing"


def test_what_ends_an_attempt_only_or_was_wanted_is_not_told() -> None:
    export = requested(make_team(), now=NOW)
    give_back(begun(export, now=NOW))
    put_off(begun(export, now=NOW), until=NOW, reason="away")
    cancel(export, now=NOW)
    assert not Notification.objects.exists()
    assert not EmailNotificationLog.objects.exists()


def test_an_end_comes_true_and_is_told_once_and_again_after_an_order() -> None:
    export = failed(make_team(), "away", now=NOW)
    late = attempts.Attempt(export.id, 1, begun_by(export))
    fail(late, "again", now=NOW, limits=LIMITS)
    assert told(export)["reason"] == "away"
    requeue([Wake(export.id, 1)], Order(Verb.REQUEUE, by="ops", why="mended", at=NOW))
    fail(begun(export, now=NOW, dispatch=2), "still away", now=NOW, limits=LIMITS)
    reasons = [
        row.data["export"]["reason"] for row in Notification.objects.order_by("data__export__dispatch")
    ]
    assert reasons == ["away", "still away"]
    assert EmailNotificationLog.objects.count() == 2


def begun_by(export: Exporter) -> Any:
    return ExportRun.objects.values_list("owner", flat=True).get(export=export)
