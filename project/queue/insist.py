"""Enqueueing what must not be lost: the successor of a delivery that is about to be acknowledged."""

import logging
import time
from typing import Any, cast

from django.conf import settings
from dramatiq import Broker, BrokerConnectionError, Message, MessageProxy

from project.queue.metrics import Counted, count

logger = logging.getLogger(__name__)


def insist(broker: Broker, message: Message[Any] | MessageProxy, delay: int) -> None:
    """Enqueue ``message`` with ``delay`` milliseconds, waiting as long as Redis is away.

    The wait needs no bound of its own: the acknowledgement that follows would wait just as long, and a
    process that is stopped meanwhile leaves its delivery unacknowledged, so it is delivered again.
    """
    pause = settings.LIMITS.redis_wait.total_seconds()
    while True:
        try:
            broker.enqueue(cast("Message[Any]", message), delay=delay)
            return
        except BrokerConnectionError as error:
            count(Counted.ENQUEUE_FAILED)
            logger.warning("cannot enqueue the successor of %s yet: %s", message.message_id, error)
            time.sleep(pause)
