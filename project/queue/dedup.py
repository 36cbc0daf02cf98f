"""Middleware by which a message id runs once: early, cheap, and only ever a first line of defence.

A copy is acknowledged without a successor only when the work is DONE. Nothing here makes a second run
impossible (Redis may forget, a worker may sleep through its lease); the database's fence does.
"""

import logging
import random
import time
from collections.abc import Callable
from typing import Any, TypeVar

import redis
from django.conf import settings
from dramatiq import Broker, MessageProxy, Worker
from dramatiq.middleware import Middleware, SkipMessage

from project.queue.burial import condemn
from project.queue.claims import Claim, Claims
from project.queue.client import connect
from project.queue.insist import insist
from project.queue.ledger import Answer, Ledger, Verdict
from project.queue.measures import TAKE_OVERS
from project.queue.metrics import Counted, count
from project.queue.routine import Routine
from project.queue.units import milliseconds

logger = logging.getLogger(__name__)

T = TypeVar("T")

_RENEWAL_GRACE = 60.0  # seconds beyond the time limit: what an interrupted actor may need to end
_PAUSE = 0.05  # seconds between two tries to reach Redis


class Dedup(Middleware):
    """Claims the message id before the actor runs, and settles the claim just before the acknowledgement.

    Settling there, and not when the actor returns, means that an acknowledgement which has to wait for Redis
    takes the settlement along: it is tried again as often as the acknowledgement is.

    Actor option: ``dedup=False`` switches it off.
    """

    def __init__(self) -> None:
        self._limits = settings.LIMITS
        client = connect(settings.DEDUP_REDIS_URL, self._limits.redis_wait)
        self._ledger = Ledger(client, self._limits)
        self._claims = Claims()
        self._renewal: Routine | None = None

    @property
    def actor_options(self) -> set[str]:
        """Options an actor may set."""
        return {"dedup"}

    def before_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Renew this process's leases from now on."""
        self._renewal = Routine(
            "dedup-renewal", self._limits.lease_renewal, lambda: self._claims.renew(self._ledger)
        )
        self._renewal.start()

    def after_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        """No claim is left to renew."""
        if self._renewal:
            self._renewal.stop()

    def before_process_message(self, broker: Broker, message: MessageProxy) -> None:
        """Run, drop, put off, or bury this delivery.

        Raises:
            SkipMessage: for all but the first.
        """
        options = broker.get_actor(message.actor_name).options
        if not options.get("dedup", True):
            return
        time_limit = options.get("time_limit", milliseconds(self._limits.time_limit)) / 1000
        claim = Claim(message.message_id, renew_until=time.monotonic() + time_limit + _RENEWAL_GRACE)
        answer = self._ask(lambda: self._ledger.claim(claim.message_id, claim.token))
        if answer is None:
            count(Counted.FAIL_OPEN)
            logger.error("message %s runs without a claim: Redis is unreachable", message.message_id)
            self._claims.add(claim)
        elif answer.verdict is Verdict.CLAIMED:
            self._claims.add(claim)
            self._count_delivery(message, answer)
        else:
            self._turn_away(broker, message, answer)

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        """Note what the run came to."""
        if claim := self._claims.current():
            claim.succeeded = exception is None

    def before_ack(self, broker: Broker, message: MessageProxy) -> None:
        """Settle: DONE after a success; free after a failure (its retry is queued) or a skip."""
        if claim := self._claims.current():
            self._settle(claim, self._ledger.complete if claim.succeeded else self._ledger.release)

    def before_nack(self, broker: Broker, message: MessageProxy) -> None:
        """Free the id: a re-queued dead letter is to run."""
        if claim := self._claims.current():
            self._settle(claim, self._ledger.release)

    def after_ack(self, broker: Broker, message: MessageProxy) -> None:
        """The delivery is over. If it could not be settled, its lease runs out."""
        self._claims.drop()

    after_nack = after_ack

    def _settle(self, claim: Claim, settle: Callable[[str, str], bool]) -> None:
        if self._ask(lambda: settle(claim.message_id, claim.token)) is False:
            count(Counted.SETTLEMENT_REFUSED)
            logger.warning("message %s is somebody else's by now: its end is theirs to say", claim.message_id)

    def _ask(self, question: Callable[[], T]) -> T | None:
        """The ledger's answer, or None if Redis could not give one within ``redis_wait``."""
        deadline = time.monotonic() + self._limits.redis_wait.total_seconds()
        while True:
            try:
                return question()
            except redis.RedisError as error:
                if time.monotonic() >= deadline:
                    logger.warning("dedup cannot reach Redis: %s", error)
                    return None
                time.sleep(_PAUSE)

    def _count_delivery(self, message: MessageProxy, answer: Answer) -> None:
        count(Counted.CLAIMED)
        deliveries = answer.number
        if deliveries > 1:
            count(Counted.TAKEN_OVER)
            TAKE_OVERS.add(answer.since / 1000, message.queue_name)
        if deliveries > self._limits.delivery_limit:
            count(Counted.POISONED)
            self._bury(message, f"poison: {deliveries - 1} deliveries ended without an outcome")

    def _turn_away(self, broker: Broker, message: MessageProxy, answer: Answer) -> None:
        if answer.verdict is Verdict.DONE:
            count(Counted.DROPPED)
            raise SkipMessage("done already")
        put_offs = message.options.get("put_offs", 0)
        if put_offs >= self._limits.busy_deferrals:
            self._bury(message, f"put off {put_offs} times because another delivery was running")
        insist(
            broker, message.copy(options={"put_offs": put_offs + 1}), self._put_off(put_offs, answer.number)
        )
        count(Counted.PUT_OFF)
        raise SkipMessage("running elsewhere, put off")

    def _put_off(self, put_offs: int, lease_left: int) -> int:
        """Milliseconds: at first until the lease could be over, then ever longer, as the owner seems well."""
        shortest, longest = self._limits.retry_min_backoff, self._limits.retry_max_backoff
        growing = min(shortest * 2 ** min(put_offs, 16), longest)
        return max(lease_left, milliseconds(growing)) + random.randint(0, milliseconds(shortest))

    @staticmethod
    def _bury(message: MessageProxy, reason: str) -> None:
        condemn(message, reason)
        raise SkipMessage(reason)
