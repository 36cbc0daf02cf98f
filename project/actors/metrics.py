"""The metrics, and the actor that pushes them where Prometheus cannot fetch them."""

import logging
from http.client import HTTPException
from typing import cast
from urllib.parse import urlsplit

import dramatiq
from django.conf import settings
from django.utils import timezone
from prometheus_client.exposition import push_to_gateway
from prometheus_client.registry import CollectorRegistry

from project.actors.dead_letters import office
from project.actors.digests import OUTBOX
from project.actors.periodic import periodic
from project.monitoring.collector import registry_of
from project.monitoring.sources import Sources
from project.queue.broker import HardenedRedisBroker

logger = logging.getLogger(__name__)

JOB = "singlepost"
_PATIENCE = 5  # seconds: a gateway is near, and the next push comes in a minute


def metrics() -> CollectorRegistry:
    """All numbers of the installation; they are read when the registry is."""
    office()  # declares all queues
    broker = cast(HardenedRedisBroker, dramatiq.get_broker())
    return registry_of(Sources(broker, OUTBOX.breaker, settings.LIMITS, timezone.now()))


@periodic(queue_name="maintenance")
def push_metrics() -> None:
    """Send the metrics to the Pushgateway.

    The group is named after the installation and not after the process, since the numbers are not its own: each
    push replaces the one before, whichever worker does it.
    """
    group = {"instance": urlsplit(settings.SITE_URL).netloc}
    try:
        push_to_gateway(
            settings.PUSHGATEWAY_URL, job=JOB, registry=metrics(), grouping_key=group, timeout=_PATIENCE
        )
    except (OSError, HTTPException) as error:
        logger.warning("metrics not pushed: %s", type(error).__name__)
