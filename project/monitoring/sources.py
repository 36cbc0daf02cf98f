"""Where the numbers come from."""

from dataclasses import dataclass
from datetime import datetime

from project.limits import Limits
from project.queue.broker import HardenedRedisBroker
from project.services.digests.breaker import Breaker


@dataclass(frozen=True)
class Sources:
    """What a part asks; the tables besides. `broker` has declared all queues."""

    broker: HardenedRedisBroker
    breaker: Breaker
    limits: Limits
    now: datetime
