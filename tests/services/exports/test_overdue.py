from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from project.models import ExportRun, ExportStatus, Wake, mark_sent
from project.services.exports.overdue import overdue_exports
from tests.factories import make_team
from tests.services.exports.exporting import LIMITS, moment, requested

pytestmark = pytest.mark.django_db(transaction=True)
NOW = moment("2026-03-04T05:06:07")
OVERDUE = NOW - LIMITS.overdue
SOON = NOW + timedelta(seconds=1)


def running(progress_at):
    given = {"owner": uuid4(), "started_at": OVERDUE, "attempt": 1}
    return {"status": ExportStatus.PROCESSING, "progress_at": progress_at, **given}


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({}, True),  # the wake-up got lost
        ({"enqueued_at": NOW}, False),
        ({"enqueued_at": None}, True),  # put off, and due now
        ({"enqueued_at": None, "due_at": SOON}, False),
        (running(OVERDUE), True),  # its worker is dead
        (running(NOW), False),  # it takes long, and shows that it lives
        ({"status": ExportStatus.FAILED, "reason": "x", "ended_at": NOW}, False),
        ({"status": ExportStatus.CANCELLED, "ended_at": NOW}, False),
    ],
)
def test_exports_that_are_due_or_silent_are_named_again_until_they_are_sent(fields, named):
    export = requested(make_team(), now=OVERDUE)
    ExportRun.objects.update(**fields)
    found = [Wake(export.id, 1)] if named else []
    assert overdue_exports(now=NOW, limits=LIMITS) == found
    assert overdue_exports(now=NOW, limits=LIMITS) == found
    mark_sent(ExportRun, found, now=NOW)
    assert overdue_exports(now=NOW, limits=LIMITS) == []


@pytest.mark.parametrize(("since", "named"), [(timedelta(0), True), (timedelta(seconds=1), False)])
def test_what_only_its_request_named_is_found_sooner(since, named):
    """The request may have died between its commit and its sending."""
    export = requested(make_team(), now=NOW - LIMITS.recovery_budget + since)
    assert overdue_exports(now=NOW, limits=LIMITS) == ([Wake(export.id, 1)] if named else [])


def test_a_sweep_is_bounded():
    team = make_team()
    for zone in ("UTC", "Asia/Tokyo", "Asia/Kathmandu"):
        requested(team, now=OVERDUE, time_zone=zone)
    limits, found = replace(LIMITS, sweep_batch=2), []
    for _ in range(3):
        wakes = overdue_exports(now=NOW, limits=limits)
        mark_sent(ExportRun, wakes, now=NOW)
        found.append(len(wakes))
    assert found == [2, 1, 0]
