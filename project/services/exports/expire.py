"""Removes archives whose time is over, and what belongs to nobody."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain, islice
from typing import NamedTuple

from botocore.exceptions import BotoCoreError, ClientError
from django.db import transaction

from project.limits import Limits
from project.models import ExportRun, ExportStatus
from project.services.exports.attempts import move
from project.services.exports.names import Key
from project.services.exports.storage import Found, Storage

logger = logging.getLogger(__name__)


class Removed(NamedTuple):
    """How many archives (or unfinished uploads) were removed, and how many could not be."""

    done: int
    refused: int

    def __str__(self) -> str:
        """Say it."""
        return f"removed {self.done}" + f", failed {self.refused}" * bool(self.refused)


def expire(*, storage: Storage, now: datetime, limits: Limits) -> Removed:
    """Remove the archives of completed exports whose time is over, at most `limits.sweep_batch`.

    An archive that cannot be removed keeps its row as it is, for the next time, and stops no other.
    """
    due = ExportRun.objects.filter(status=ExportStatus.COMPLETED, expires_at__lte=now).order_by("expires_at")
    done = refused = 0
    for export_id, key in due.values_list("export_id", "key")[: limits.sweep_batch]:
        if not _remove(storage, Found(key, now)):
            refused += 1
            continue
        with transaction.atomic(durable=True):
            done += move(ExportRun.objects.filter(export_id=export_id), to=ExportStatus.EXPIRED)
    return Removed(done, refused)


def remove_orphans(*, storage: Storage, now: datetime, limits: Limits, kept: str = "") -> Removed:
    """Remove archives and unfinished uploads that no row owns: crashes and lost races leave them.

    What has no row at all is left alone for `limits.export_orphan`, and so are unfinished uploads below `kept`, if
    that is given: a folder of files that are kept for good.
    """
    orphans = chain(_of_exports(storage, now, limits), _of_kept(kept, storage, now, limits))
    removed = Counter(_remove(storage, orphan) for orphan in orphans)
    return Removed(removed[True], removed[False])


def _of_exports(storage: Storage, now: datetime, limits: Limits) -> Iterator[Found]:
    listed = iter(storage.found())
    while batch := list(islice(listed, limits.sweep_batch)):
        yield from _orphans(batch, now, limits)


def _of_kept(prefix: str, storage: Storage, now: datetime, limits: Limits) -> Iterator[Found]:
    if prefix:
        yield from (
            found for found in storage.unfinished(prefix) if found.since <= now - limits.export_orphan
        )


def _orphans(batch: Iterable[Found], now: datetime, limits: Limits) -> Iterator[Found]:
    keys = [(found, key) for found in batch if (key := Key.parse(found.key))]
    # Read after the list: an attempt that began in between cannot be in it.
    runs = ExportRun.objects.in_bulk([key.export_id for _, key in keys])
    for found, key in keys:
        run = runs.get(key.export_id)
        if run is None:
            if found.since <= now - limits.export_orphan:
                yield found
        elif not _owns(run, key, found):
            yield found


def _owns(run: ExportRun, key: Key, found: Found) -> bool:
    if run.status == ExportStatus.COMPLETED:
        return run.key == found.key and not found.upload_id
    return run.status == ExportStatus.PROCESSING and run.attempt == key.attempt


def _remove(storage: Storage, found: Found) -> bool:
    try:
        storage.remove(found)
    except (BotoCoreError, ClientError) as error:
        logger.error("%s cannot be removed: %s", found.key, error)
        return False
    return True
