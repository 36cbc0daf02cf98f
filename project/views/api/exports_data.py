"""Exports as JSON: Plane's shape, and what it does not tell."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings

from project.actors.exports import DEPOT
from project.models import Exporter, User
from project.services.exports.link import NoLinkError, link
from project.services.exports.standing import standing
from project.views.api.inbox_data import PersonRow


def rows(exports: Iterable[Exporter], user: User, *, now: datetime) -> list[dict[str, Any]]:
    """Return exports that `user` asked for, without links: those are made one by one, for a click."""
    person = PersonRow(user).data
    return [_row(export, person, now) for export in exports]


def row_with_link(export: Exporter, user: User, *, now: datetime) -> dict[str, Any]:
    """Return one export that `user` asked for, with a link to its archive or why there is none."""
    [row] = rows([export], user, now=now)
    try:
        url = link(export, user, storage=DEPOT.storage, now=now, limits=settings.LIMITS)
    except NoLinkError as error:
        return {**row, "url_reason": str(error)}
    return {**row, "url": url, "url_reason": ""}


def _row(export: Exporter, person: dict[str, Any], now: datetime) -> dict[str, Any]:
    stands = standing(export, now=now, limits=settings.LIMITS)
    return {
        "id": stands.id,
        "token": export.token,
        "created_at": stands.created_at,
        "updated_at": export.updated_at,
        "created_by": export.created_by_id,
        "updated_by": export.updated_by_id,
        "initiated_by": export.initiated_by_id,
        "initiated_by_detail": person,
        "provider": stands.provider,
        "project": stands.projects,
        "multiple": export.run.multiple,
        "filters": export.filters,
        "time_zone": export.run.time_zone,
        "status": stands.status,
        "reason": stands.reason,
        "progress": stands.percent,
        "rows_done": stands.rows_done,
        "rows_total": stands.rows_total,
        "size": stands.size,
        "cut_cells": stands.cut_cells,
        "ended_at": stands.ended_at,
        "expires_at": stands.link_until,
        "url": None,
    }
