"""Asks for exports, makes them here and now, and reads what was made."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any
from urllib.request import urlopen
from uuid import uuid4
from zipfile import ZipFile

from django.conf import settings
from django.utils import timezone
from openpyxl import load_workbook

from project.limits import Limits
from project.models import Exporter, ExportFormat, ExportRun, Project, User, Wake
from project.services.exports import run as running
from project.services.exports.link import link
from project.services.exports.request import request_export
from project.services.exports.run import Depot
from project.services.exports.storage import Storage
from project.services.exports.wish import Wish
from tests.factories import Team

LIMITS = Limits()
SITE = "https://tracker.example.org"


@cache
def storage() -> Storage:
    return Storage(settings.OBJECT_STORE, settings.PUBLIC_ENDPOINT)


def depot(**limits: Any) -> Depot:
    return Depot(storage(), SITE, replace(LIMITS, **limits))


def requested(
    team: Team, provider: str = "csv", *, by: str | User = "ann", now: datetime | None = None, **wish: Any
) -> Exporter:
    """An export that waits for a worker."""
    user = team.members[by] if isinstance(by, str) else by
    wanted = Wish(provider=ExportFormat(provider), **wish)
    export, _ = request_export(user, team.workspace, wanted, now=now or timezone.now(), limits=LIMITS)
    return export


def make(
    export: Exporter,
    depot: Depot | None = None,
    dispatch: int | None = None,
    clock: Callable[[], datetime] = timezone.now,
) -> ExportRun:
    """Do what the actor does, and return the run as it is then."""
    wake = Wake(export.id, dispatch or ExportRun.objects.get(export=export).dispatch)
    running.run(*wake, owner=uuid4(), depot=depot or Depot(storage(), SITE, LIMITS), clock=clock)
    return ExportRun.objects.get(export=export)


def fetched(export: Exporter) -> bytes:
    """The archive, as its initiator gets it."""
    export = Exporter.objects.select_related("run", "workspace", "initiated_by").get(id=export.id)
    assert export.run.status == "completed", (export.run.status, export.run.reason)
    url = link(export, export.initiated_by, storage=storage(), now=timezone.now(), limits=LIMITS)
    with urlopen(url, timeout=10) as answer:
        return bytes(answer.read())


def files(team: Team, provider: str = "csv", **wish: Any) -> dict[str, bytes]:
    """The files of an export that is made at once, by name."""
    export = requested(team, provider, **wish)
    make(export)
    with ZipFile(io.BytesIO(fetched(export))) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def content(team: Team, provider: str = "csv", **wish: Any) -> bytes:
    """The one file of an export that is made at once."""
    (content,) = files(team, provider, **wish).values()
    return content


def csv_rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def exported_csv(team: Team, **wish: Any) -> list[dict[str, str]]:
    return csv_rows(content(team, "csv", **wish))


def exported_json(team: Team, **wish: Any) -> list[dict[str, Any]]:
    return list(json.loads(content(team, "json", **wish)))


def exported_xlsx(team: Team, **wish: Any) -> list[dict[str, Any]]:
    (sheet,) = load_workbook(io.BytesIO(content(team, "xlsx", **wish))).worksheets
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(map(str, head), row, strict=True)) for row in rows]


def add_project(team: Team, name: str, identifier: str, **fields: Any) -> Project:
    return Project.objects.create(workspace=team.workspace, name=name, identifier=identifier, **fields)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
