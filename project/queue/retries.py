"""Retries that cannot lose a message."""

from typing import Any

from django.conf import settings
from dramatiq import Broker, MessageProxy, Retry
from dramatiq.common import compute_backoff
from dramatiq.middleware import Middleware, Shutdown

from project.queue.burial import condemn
from project.queue.insist import insist
from project.queue.units import milliseconds


class SafeRetries(Middleware):
    """Enqueues a failed message again, later and later, until its attempts are used up.

    Dramatiq's own ``Retries`` lets the message be acknowledged when the retry could not be enqueued. Here a
    failed delivery counts as dead until its successor is on the queue, so that whatever interrupts this hook
    leaves a dead letter behind, and never nothing.

    Actor options: ``max_retries`` (``int``); ``throws`` (exception class or tuple: never retried).
    """

    def __init__(self) -> None:
        limits = settings.LIMITS
        self._max_retries = limits.retry_attempts
        self._min_backoff = milliseconds(limits.retry_min_backoff)
        self._max_backoff = milliseconds(limits.retry_max_backoff)

    @property
    def actor_options(self) -> set[str]:
        """Options an actor may set."""
        return {"max_retries", "throws"}

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        """Retry after an exception, or leave the message to the dead letters."""
        if exception is None:
            return
        options = broker.get_actor(message.actor_name).options
        retries = message.options.get("retries", 0)
        spent = retries + self._spends(exception)
        if isinstance(exception, options.get("throws", ())):
            condemn(message, "failed with an error that its actor expects")
        elif spent > options.get("max_retries", self._max_retries):
            condemn(message, "retries exhausted")
        else:
            condemn(message, "retry could not be enqueued")
            successor = message.copy(options={"retries": spent})
            del successor.options["reason"]
            insist(broker, successor, self._delay(exception, retries))
            message.failed = False

    @staticmethod
    def _spends(error: BaseException) -> bool:
        """A run that our own shutdown interrupted was no attempt."""
        return not isinstance(error, Shutdown)

    def _delay(self, error: BaseException, retries: int) -> int:
        if isinstance(error, Retry) and error.delay is not None:
            return error.delay
        return compute_backoff(retries, factor=self._min_backoff, max_backoff=self._max_backoff)[1]
