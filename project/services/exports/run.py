"""Makes one export: begin, snapshot, stream into the store, fence, tidy up."""

import logging
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from botocore.exceptions import BotoCoreError, ClientError
from django.db import Error as DatabaseError

from project.limits import Limits
from project.models import Exporter, ExportRun
from project.services.exports.archive import Archive
from project.services.exports.attempts import (
    Attempt,
    begin,
    complete,
    fail,
    give_back,
    note_snapshot,
    put_off,
)
from project.services.exports.failures import judge
from project.services.exports.heartbeat import Heartbeat, LostError
from project.services.exports.names import Key
from project.services.exports.plan import plan
from project.services.exports.snapshot import opened
from project.services.exports.storage import Found, Storage
from project.services.exports.upload import Stored

logger = logging.getLogger(__name__)


class Depot(NamedTuple):
    """Where archives go, the address that their links begin with, the limits. One object for a process."""

    storage: Storage
    site_url: str
    limits: Limits


class Made(NamedTuple):
    """An archive that was finished: its rows, its bytes, and the seconds that the attempt took.

    It became the export's if it is `published`. Otherwise the fence refused it, and it was removed again.
    """

    published: bool
    rows: int
    size: int
    seconds: float


class RowsMissingError(Exception):
    """The archive has another number of rows than the snapshot."""


def run(
    export_id: UUID, dispatch: int, *, owner: UUID, depot: Depot, clock: Callable[[], datetime]
) -> Made | None:
    """Do one attempt at an export and record what became of it.

    Doing it again, at the same time or later, changes nothing: an export that ended, or that was put off
    under another dispatch, is left alone, and of two attempts at the same time one gets past the fence. What
    the other one wrote is removed.

    Returns:
        What was made, if this attempt got as far as the fence.

    Raises:
        django.db.Error: if the outcome cannot be recorded. Nothing is lost then, the message is tried again.
        BaseException: an interrupt of the worker, after the attempt was given back.
    """
    attempt = begin(export_id, dispatch, owner=owner, now=clock(), limits=depot.limits)
    if attempt is None:
        logger.info("export %s dispatch %s: nothing to do", export_id, dispatch)
        return None
    try:
        return _make(attempt, depot, clock)
    except LostError:
        logger.info("export %s attempt %s: cancelled, or taken over", export_id, attempt.number)
    except DatabaseError:
        raise
    except Exception as error:
        _conclude(attempt, error, depot.limits, clock())
    except BaseException:
        give_back(attempt)
        raise
    return None


def _make(attempt: Attempt, depot: Depot, clock: Callable[[], datetime]) -> Made:
    began = clock()
    export = Exporter.all_objects.select_related("run", "workspace").get(id=attempt.export_id)
    key = Key(export.workspace_id, export.id, attempt.number)
    limits, storage = depot.limits, depot.storage
    # The snapshot is inside: it is given up before the store has taken, or refused, a part that is on its way.
    with (
        storage.upload(str(key)) as upload,
        opened(export.run.time_zone, limits.export_time) as snapshot,
        Heartbeat(attempt, snapshot, limits, clock) as heartbeat,
    ):
        try:
            contents = plan(export, snapshot, site_url=depot.site_url)
            note_snapshot(attempt, at=snapshot.at, scope=contents.scope, total=contents.total)
            archive = Archive(export, contents, snapshot, heartbeat.progressed)
            for piece in archive.stream():
                upload.write(piece, heartbeat.check)
            if archive.rows != contents.total:
                raise RowsMissingError(f"{archive.rows} rows instead of {contents.total}")
            heartbeat.check()
            stored = upload.finish(heartbeat.check)
        except Exception:
            heartbeat.check()  # says better why we stop than a query that it cancelled
            raise
    published = _publish(attempt, stored, archive, depot, clock())
    if published:
        _tidy(storage, key, stored)
    return Made(published, archive.rows, stored.size, (clock() - began).total_seconds())


def _publish(attempt: Attempt, stored: Stored, archive: Archive, depot: Depot, now: datetime) -> bool:
    if not complete(attempt, stored, rows=archive.rows, cut=archive.cut, now=now, limits=depot.limits):
        logger.info("export %s attempt %s: refused by the fence", attempt.export_id, attempt.number)
        depot.storage.remove(Found(stored.key, now))
        return False
    logger.info(
        "export %s attempt %s: %s rows, %s bytes",
        attempt.export_id,
        attempt.number,
        archive.rows,
        stored.size,
    )
    return True


def _tidy(storage: Storage, key: Key, stored: Stored) -> None:
    """Remove what earlier attempts left behind."""
    try:
        for found in storage.found(key.folder):
            if found.key != stored.key:
                storage.remove(found)
    except (BotoCoreError, ClientError) as error:
        logger.warning("export %s: not tidied up, left to the removal of orphans: %s", key.export_id, error)


def _conclude(attempt: Attempt, error: Exception, limits: Limits, now: datetime) -> None:
    verdict = judge(error)
    logger.warning(
        "export %s attempt %s: %s", attempt.export_id, attempt.number, verdict.reason, exc_info=error
    )
    failures = ExportRun.objects.values_list("failures", flat=True).get(export_id=attempt.export_id)
    if verdict.passing and failures < len(limits.export_backoff):
        put_off(attempt, until=now + limits.export_backoff[failures], reason=verdict.reason)
    else:
        fail(attempt, verdict.reason, now=now, limits=limits)
