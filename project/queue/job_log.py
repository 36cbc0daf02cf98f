"""Middleware by which each log line tells which job it belongs to, and each job ends with a line of its own."""

import logging
import time
from threading import local
from typing import Any

from dramatiq import Broker, Message, MessageProxy
from dramatiq.middleware import Middleware
from structlog.contextvars import bind_contextvars, clear_contextvars, get_contextvars

from project.queue.measures import JOB_SECONDS, JOBS

logger = logging.getLogger(__name__)

REQUEST = "request_id"


class JobLog(Middleware):
    """Binds the names of a message to the thread that works on it.

    The request that caused a message is passed on in the message's options: to retries, too. Listed before all
    that logs or decides about a job, so that it begins first and ends last.
    """

    def __init__(self) -> None:
        self._thread = local()

    def before_enqueue(self, broker: Broker, message: Message[Any], delay: int | None) -> None:
        """Note the request or job that this message comes from."""
        if request_id := get_contextvars().get(REQUEST):
            message.options.setdefault(REQUEST, request_id)

    def before_process_message(self, broker: Broker, message: MessageProxy) -> None:
        """From here on, log lines of this thread belong to this message."""
        self._thread.began = time.monotonic()
        clear_contextvars()
        bind_contextvars(**_names(message))

    def after_process_message(
        self,
        broker: Broker,
        message: MessageProxy,
        *,
        result: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        """Tell how the run ended."""
        if exception is None:
            JOB_SECONDS.add(self._seconds(), message.actor_name)
        self._tell(message, "retried" if exception else "done")

    def after_skip_message(self, broker: Broker, message: MessageProxy) -> None:
        """Tell that it did not run."""
        self._tell(message, "skipped")

    def after_ack(self, broker: Broker, message: MessageProxy) -> None:
        """The job is over."""
        clear_contextvars()

    after_nack = after_ack

    def _tell(self, message: MessageProxy, outcome: str) -> None:
        ended = "dead" if message.failed else outcome
        JOBS.add(message.actor_name, ended)
        milliseconds = round(self._seconds() * 1000, 1)
        logger.info(
            "job %s", ended, extra={"event_kind": "job", "outcome": ended, "milliseconds": milliseconds}
        )

    def _seconds(self) -> float:
        return time.monotonic() - float(self._thread.began)


def _names(message: MessageProxy) -> dict[str, Any]:
    """What a message is called: its names only, whatever else it may carry."""
    names: dict[str, Any] = {"actor": message.actor_name, "message_id": message.message_id}
    if message.args:
        names |= dict(zip(("row_id", "dispatch"), message.args, strict=False))
    if request_id := message.options.get(REQUEST):
        names[REQUEST] = request_id
    return names
