"""Tells that the scheduler makes its rounds, for probes and dashboards."""

import logging

import redis
from django.conf import settings

from project.queue.client import connect
from project.queue.processes import SCHEDULER, Process, beat

logger = logging.getLogger(__name__)


def tell_alive() -> None:
    """Tell it; that Redis is away is logged, and stops nothing."""
    try:
        with connect(settings.REDIS_URL, settings.LIMITS.enqueue_timeout) as client:
            beat(client, Process.own(SCHEDULER))
    except redis.RedisError as error:
        logger.warning("cannot tell that the scheduler is alive: %s", error)
