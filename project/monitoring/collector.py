"""Puts the parts together, and survives each of them."""

import logging
from collections.abc import Callable, Iterator
from time import monotonic

from prometheus_client.core import Metric
from prometheus_client.registry import Collector, CollectorRegistry

from project.monitoring import redis_parts, table_parts
from project.monitoring.families import gauge
from project.monitoring.sources import Sources

logger = logging.getLogger(__name__)

Part = Callable[[Sources], Iterator[Metric]]

PARTS: tuple[Part, ...] = (
    redis_parts.queues,
    redis_parts.processes,
    redis_parts.counters,
    redis_parts.memory,
    table_parts.backlog,
    table_parts.ends,
    table_parts.breaker,
    table_parts.schedule,
)


class Figures(Collector):
    """All numbers at this moment. What cannot be had is missing, and its part is named by an error of 1.

    Any process gives the same answer: none of the numbers is its own.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def collect(self) -> Iterator[Metric]:
        """Ask every part, whatever became of the others."""
        errors: dict[tuple[str, ...], float] = {}
        seconds: dict[tuple[str, ...], float] = {}
        for part in PARTS:
            began, name = monotonic(), (part.__name__,)
            try:
                yield from list(part(self._sources))
                errors[name] = 0
            except Exception as error:  # a mistake in one figure must not hide the others
                logger.warning("metrics of %s are missing: %r", part.__name__, error)
                errors[name] = 1
            seconds[name] = monotonic() - began
        yield gauge("scrape_error", "1 if this part of the metrics is missing", ("part",), errors)
        yield gauge("scrape_seconds", "What it took to read this part", ("part",), seconds)


def registry_of(sources: Sources) -> CollectorRegistry:
    """A registry of these numbers and nothing else."""
    registry = CollectorRegistry()
    registry.register(Figures(sources))
    return registry
