"""Puts the parts together, and survives each of them."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from django.db import DatabaseError
from prometheus_client.core import Metric
from prometheus_client.registry import Collector, CollectorRegistry

from project.monitoring import redis_parts, table_parts
from project.monitoring.families import gauge
from project.monitoring.sources import Sources
from project.services.operations.apart import apart

logger = logging.getLogger(__name__)

Part = Callable[[Sources], Iterator[Metric]]

REDIS_PARTS: tuple[Part, ...] = (
    redis_parts.queues,
    redis_parts.processes,
    redis_parts.counters,
    redis_parts.memory,
)
TABLE_PARTS: tuple[Part, ...] = (
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
        read = _Reading(self._sources)
        for part in REDIS_PARTS:
            read.part(part)
        try:
            with apart():
                for part in TABLE_PARTS:
                    read.part(part)
        except DatabaseError as error:  # no connection: each part would wait for one as long as the first
            logger.warning("metrics of the tables are missing: %s", error)
            read.errors |= {(part.__name__,): 1 for part in TABLE_PARTS}
        yield from read.metrics
        yield gauge("scrape_error", "1 if this part of the metrics is missing", ("part",), read.errors)
        yield gauge("scrape_seconds", "What it took to read this part", ("part",), read.seconds)


@dataclass
class _Reading:
    sources: Sources
    metrics: list[Metric] = field(default_factory=list)
    errors: dict[tuple[str, ...], float] = field(default_factory=dict)
    seconds: dict[tuple[str, ...], float] = field(default_factory=dict)

    def part(self, part: Part) -> None:
        began, name = monotonic(), (part.__name__,)
        try:
            self.metrics += part(self.sources)
            self.errors[name] = 0
        except Exception as error:  # a mistake in one figure must not hide the others
            logger.warning("metrics of %s are missing: %s", part.__name__, error)
            self.errors[name] = 1
        self.seconds[name] = monotonic() - began


def registry_of(sources: Sources) -> CollectorRegistry:
    """A registry of these numbers and nothing else."""
    registry = CollectorRegistry()
    registry.register(Figures(sources))
    return registry
