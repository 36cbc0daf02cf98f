"""Deletes for good what was soft-deleted long ago, with all that is a part of it.

Parts go before their wholes, each table in batches of its own, so a run may end anywhere: the whole is still
there then, still deleted, and the next run goes on. What living rows refer to stays, and is counted.
"""

from collections.abc import Mapping
from typing import Any

from django.apps import apps
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from project.models import (
    EmailNotificationLog,
    EventStatus,
    ExportRun,
    ExportStatus,
    Issue,
    IssueEvent,
    IssueSubscriber,
)
from project.models.audited import Audited
from project.services.maintenance.purge import Keys, Purge
from project.services.maintenance.references import Role, in_order, references

#: Tables whose soft-deleted rows still say something, and so go only as parts.
TELLING = {
    EmailNotificationLog,  # the record of a mail; it goes together with its digest
    IssueSubscriber,  # who left an issue, and must not be made to follow it by acting on it
}
#: Which soft-deleted rows of a table may go, if not all.
SPARE: Mapping[type[Model], Q] = {
    # Not the one with a project's highest number: the next issue would be given that number again.
    Issue: Q(
        Exists(Issue.all_objects.filter(project=OuterRef("project"), sequence_id__gt=OuterRef("sequence_id")))
    )
}
#: Parts that are being worked on, and so hold their wholes.
UNFINISHED: Mapping[type[Model], Q] = {
    IssueEvent: Q(status=EventStatus.PENDING),
    # A completed one has an archive in the store that is to be removed first.
    ExportRun: Q(status__in=[ExportStatus.QUEUED, ExportStatus.PROCESSING, ExportStatus.COMPLETED]),
}


def hard_delete(purge: Purge) -> None:
    """Delete the rows that were soft-deleted `hard_delete_after` ago or earlier.

    How many of them have to stay is in ``purge.held``.
    """
    long_ago = purge.now - purge.limits.hard_delete_after
    found = [
        model._base_manager.filter(SPARE.get(model, Q()), deleted_at__lte=long_ago)
        for model in in_order(_soft_deletable())
    ]
    for rows, held in [(rows, _clear(purge, rows)) for rows in found]:
        # Counted at the end: some of them went after all, as parts.
        purge.held[rows.model._meta.db_table] = rows.filter(pk__in=held).count()


def _soft_deletable() -> list[type[Model]]:
    return [model for model in apps.get_models() if issubclass(model, Audited) and model not in TELLING]


def _clear(purge: Purge, rows: QuerySet[Any]) -> Keys:
    """Delete rows with their parts, again as long as the end of some, such as sub-issues, frees others.

    Returns:
        The keys of those that are held.
    """
    while True:
        gone, held = 0, list[Any]()
        for keys in purge.batches(rows):
            free = _without_parts(purge, rows.model, _free(rows, keys))
            gone += purge.remove(rows, free)
            held += set(keys).difference(free)
        if not (gone and held):
            return held


def _free(rows: QuerySet[Any], keys: Keys) -> Keys:
    """Return those of `keys` that are among `rows` still, and that nothing holds but, perhaps, others of them."""
    free = set(rows.filter(pk__in=keys).values_list("pk", flat=True))
    while held := _held(rows.model, free):
        free -= held
    return sorted(free)


def _held(model: type[Model], keys: set[Any]) -> set[Any]:
    held = set[Any]()
    for reference in references(model, Role.HOLD):
        itself = keys if reference.model is model else set()
        held |= reference.named(reference.rows(keys).exclude(pk__in=itself))
    for part in references(model, Role.PART):
        if part.model in UNFINISHED:
            held |= part.named(part.rows(keys).filter(UNFINISHED[part.model]))
    return held


def _without_parts(purge: Purge, model: type[Model], keys: Keys) -> Keys:
    """Delete the parts of these rows, and return the keys of those that have none left."""
    parts = references(model, Role.PART)
    for part in parts:
        _clear(purge, part.rows(keys))
    whole = {key for part in parts for key in part.named(part.rows(keys))}
    return [key for key in keys if key not in whole]
