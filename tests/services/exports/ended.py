"""Exports that ended, without an archive."""

from datetime import datetime
from uuid import uuid4

from project.models import Exporter
from project.services.exports.attempts import Attempt, begin, complete, fail, note_snapshot
from project.services.exports.scope import Scope
from project.services.exports.upload import Stored
from tests.factories import Team
from tests.services.exports.exporting import LIMITS, requested

STORED = Stored("exports/x.zip", 3_460_300, "0" * 64)


def begun(export: Exporter, *, now: datetime, dispatch: int = 1) -> Attempt:
    attempt = begin(export.id, dispatch, owner=uuid4(), now=now, limits=LIMITS)
    assert attempt
    return attempt


def completed(
    team: Team, provider: str = "csv", *, now: datetime, rows: int = 1200, cut: int = 0, by: str = "ann"
) -> Exporter:
    export = requested(team, provider, now=now, by=by)
    attempt = begun(export, now=now)
    note_snapshot(attempt, at=now, scope=Scope(), total=rows)
    assert complete(attempt, STORED, rows=rows, cut=cut, now=now, limits=LIMITS)
    return export


def failed(team: Team, reason: str, provider: str = "csv", *, now: datetime, by: str = "ann") -> Exporter:
    export = requested(team, provider, now=now, by=by)
    fail(begun(export, now=now), reason, now=now, limits=LIMITS)
    return export
