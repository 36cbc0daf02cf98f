"""What the parts of an export cost: deflating, writing progress, the query of a small project in large tables."""

import time
import zlib
from collections.abc import Callable
from itertools import islice
from uuid import uuid4

from django.conf import settings
from django.utils import timezone
from isal import isal_zlib

from benchmarks.export_ways import part_of, requested
from benchmarks.exports import BEATS
from project.models import Project
from project.services.exports.attempts import begin, note_progress
from project.services.exports.cancel import cancel
from project.services.exports.columns import COLUMNS
from project.services.exports.csv_file import csv_file
from project.services.exports.snapshot import BATCH, opened

SAMPLE = 20_000  # rows that are deflated
PIECE = 65_536  # bytes


def deflated(compressor: Callable[[], "zlib._Compress"]) -> Callable[[Project, int], dict[str, float]]:
    """Deflate the CSV of some thousand issues. Measures itself: what comes before is no part of it."""

    def deflate(project: Project, rows: int) -> dict[str, float]:
        text, packer = _text(project), compressor()
        wall, cpu = time.perf_counter(), time.process_time()
        pieces = (packer.compress(text[start : start + PIECE]) for start in range(0, len(text), PIECE))
        size = sum(map(len, pieces)) + len(packer.flush())
        return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "size": size}

    return deflate


def progress(project: Project, rows: int) -> None:
    """Write the progress of a running attempt many times."""
    export = requested(project, "csv")
    attempt = begin(export.id, 1, owner=uuid4(), now=timezone.now(), limits=settings.LIMITS)
    assert attempt
    for number in range(BEATS):
        assert note_progress(attempt, rows=number, now=timezone.now())
    cancel(export, now=timezone.now())


def _text(project: Project) -> bytes:
    with opened("UTC", settings.LIMITS.export_time) as snapshot:
        # As a list at once: a query that is still read keeps the snapshot from being closed.
        batches = list(islice(part_of(project, snapshot).batches(snapshot), SAMPLE // BATCH))
    return b"".join(csv_file(COLUMNS, batches))


COSTS = {
    "deflate, ISA-L level 2": deflated(lambda: isal_zlib.compressobj(2, zlib.DEFLATED, -zlib.MAX_WBITS)),
    "deflate, zlib level 6": deflated(lambda: zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)),
    "progress": progress,
}
