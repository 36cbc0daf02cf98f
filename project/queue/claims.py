"""The claims that this process holds right now, one per worker thread, and their renewal."""

import logging
import time
from dataclasses import dataclass, field
from threading import get_ident
from uuid import uuid4

from project.queue.ledger import Ledger
from project.queue.metrics import Counted, count

logger = logging.getLogger(__name__)


@dataclass
class Claim:
    """One delivery's hold on its message id.

    Attributes:
        renew_until: on the monotonic clock, in seconds; a thread that hangs longer loses its lease.
        succeeded: what the delivery came to, as far as known.
    """

    message_id: str
    renew_until: float
    token: str = field(default_factory=lambda: uuid4().hex)
    succeeded: bool = False
    lost: bool = False


class Claims:
    """Claims by worker thread. A thread works on one message at a time."""

    def __init__(self) -> None:
        self._by_thread: dict[int, Claim] = {}

    def add(self, claim: Claim) -> None:
        """Hold ``claim`` for the calling thread."""
        self._by_thread[get_ident()] = claim

    def current(self) -> Claim | None:
        """The claim of the calling thread."""
        return self._by_thread.get(get_ident())

    def drop(self) -> None:
        """Forget the claim of the calling thread, if any."""
        self._by_thread.pop(get_ident(), None)

    def renew(self, ledger: Ledger) -> None:
        """Extend all leases in one round trip, and notice those that were taken over."""
        now = time.monotonic()
        live = [c for c in list(self._by_thread.values()) if not c.lost and c.renew_until > now]
        if not live:
            return
        for claim, ours in zip(live, ledger.renew([(c.message_id, c.token) for c in live]), strict=True):
            if not ours:
                claim.lost = True
                count(Counted.LEASE_LOST)
                logger.warning("lease of message %s lost: another worker has taken over", claim.message_id)
