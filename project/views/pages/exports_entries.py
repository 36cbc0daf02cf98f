"""Exports as the page shows them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from project.models import Exporter, ExportFormat, Project
from project.models.export import OPEN
from project.services.exports.filters import Filters
from project.services.exports.standing import Standing, standing
from project.views.pages.entries import age_of
from project.views.pages.exports_restriction import in_words


@dataclass(frozen=True, kw_only=True)
class ExportEntry:
    """One export in words.

    Attributes:
        mark: Changes with everything that the page tells of it.
    """

    stands: Standing
    format: str
    projects: str
    restriction: str
    age: str
    open: bool
    mark: str


def entries_of(exports: Iterable[Exporter], *, now: datetime) -> list[ExportEntry]:
    """Put exports in words; one query."""
    all_stand = [(export, standing(export, now=now, limits=settings.LIMITS)) for export in exports]
    wanted = {project for _, stands in all_stand for project in stands.projects}
    names = {project.id: project.name for project in Project.objects.filter(id__in=wanted)}
    return [
        ExportEntry(
            stands=stands,
            format=ExportFormat(stands.provider).label,
            projects=", ".join(sorted(names[id_] for id_ in stands.projects if id_ in names)),
            restriction=in_words(Filters.from_json(export.filters or {})),
            age=age_of(stands.created_at, now=now),
            open=stands.status in OPEN,
            mark=f"{stands.status} {stands.rows_done} {stands.rows_total} {stands.reason}",
        )
        for export, stands in all_stand
    ]
