"""Kills a worker while it has mails in its hands, and knows which.

A worker is frozen first (SIGSTOP), so that the tables show what it is doing. With nothing in its hands it may
go on, and another is tried. So may it in one more case: a digest is fenced, and its final dot has not left the
process yet. Nobody could tell such a mail from one whose answer got lost; after a kill it would count as sent
(assumed). That moment is the price of never sending twice, and no place for a story to stop.
"""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import cycle
from uuid import UUID

from django.utils import timezone

from project.demo.child import Child
from project.demo.effects import EffectLog
from project.demo.patience import wait_for
from project.demo.progress import Unfinished, mailed
from project.models import DigestStatus

STILL = 0.3  # seconds without a change, after which whatever is unfinished is the frozen worker's
PATIENCE = 15  # seconds to wait for such a moment


@dataclass(frozen=True)
class Killed:
    """A dead worker, and the digests that it was at.

    Attributes:
        worker: Which one; not running.
        at: When it stopped working.
        before_dot: These had begun; their mail had certainly not been sent.
        after_dot: The mail server had accepted these; nobody had written that down yet.
        queued: These waited in its memory for a free thread.
    """

    worker: Child
    at: datetime
    before_dot: frozenset[UUID]
    after_dot: frozenset[UUID]
    queued: frozenset[UUID]

    @property
    def to_be_sent(self) -> frozenset[UUID]:
        """The digests that somebody else has to send now."""
        return self.before_dot | self.queued


def kill_at_work(workers: Sequence[Child], effects: EffectLog) -> Killed:
    """Wait until one of `workers` has begun a mail, and end it and its children with SIGKILL at that moment.

    Raises:
        TookTooLongError: if no such moment came.
    """
    suspects = cycle(workers)
    return wait_for(
        "worker in the middle of a mail", lambda: _try(next(suspects), effects), seconds=PATIENCE, poll=0.005
    )


def _try(worker: Child, effects: EffectLog) -> Killed | None:
    in_work = Unfinished.now().digests_in(DigestStatus.SENDING)
    if not in_work:
        return None
    with _frozen(worker):
        at = timezone.now()
        left = _left_by_others(in_work)
        if left is None or not _fit_to_die(left, effects):
            return None
        worker.kill()
    return Killed(
        worker=worker,
        at=at,
        before_dot=left.digests_in(DigestStatus.SENDING),
        after_dot=left.digests_in(DigestStatus.FENCED),
        queued=left.digests_in(DigestStatus.WAITING),
    )


@contextmanager
def _frozen(worker: Child) -> Iterator[None]:
    os.killpg(worker.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        if worker.is_running():
            os.killpg(worker.pid, signal.SIGCONT)


def _left_by_others(in_work: frozenset[UUID]) -> Unfinished | None:
    """Wait until the other workers have done all that they can; None if `in_work` was theirs altogether."""
    before, since = Unfinished.now(), time.monotonic()
    while time.monotonic() - since < STILL:
        if not in_work & before.digests.keys():
            return None
        time.sleep(STILL / 10)
        if (now := Unfinished.now()) != before:
            before, since = now, time.monotonic()
    return before


def _fit_to_die(left: Unfinished, effects: EffectLog) -> bool:
    arrived = {effect.message_id for effect in effects.read()}
    begun, fenced = left.digests_in(DigestStatus.SENDING), left.digests_in(DigestStatus.FENCED)
    return bool(begun) and mailed(fenced, arrived)
