"""Numbers that Redis holds: the queues, the processes, the shared counters, its own memory."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any, cast

from prometheus_client.core import CounterMetricFamily, Metric

from project.monitoring import measures
from project.monitoring.families import PREFIX, counter, gauge, histogram
from project.monitoring.sources import Sources
from project.queue.depths import depths
from project.queue.measures import JOB_SECONDS, JOBS, OUTCOMES, TAKE_OVERS
from project.queue.metrics import Counted, everything
from project.queue.processes import SCHEDULER, WORKER, alive
from project.services.digests.replies import Kind


def queues(sources: Sources) -> Iterator[Metric]:
    """Depth and age, by queue."""
    broker = sources.broker
    found = depths(broker.client, broker.namespace, sorted(broker.get_declared_queues()))
    yield gauge(
        "queue_messages",
        "Messages on a queue: waiting, fetched by a worker, or delayed",
        ("queue", "state"),
        {
            (queue, state): getattr(depth, state)
            for queue, depth in found.items()
            for state in ("waiting", "fetched", "delayed")
        },
    )
    for name, about, field in (
        ("queue_oldest_seconds", "Age of the message that is next on a queue", "oldest_waiting"),
        ("dead_letters", "Messages that ran out of retries", "dead"),
        ("dead_letter_oldest_seconds", "Age of the oldest dead letter", "oldest_dead"),
    ):
        values = {(queue,): getattr(depth, field) for queue, depth in found.items()}
        yield gauge(name, about, ("queue",), values)


def processes(sources: Sources) -> Iterator[Metric]:
    """Who is alive, by their own word."""
    client, limits = sources.broker.client, sources.limits
    workers = alive(client, WORKER, limits.recovery_budget)
    schedulers = alive(client, SCHEDULER, limits.overdue)
    counts = {(WORKER,): float(len(workers)), (SCHEDULER,): float(len(schedulers))}
    yield gauge("processes_alive", "Processes that told of themselves lately", ("role",), counts)
    served = Counter(queue for worker in workers for queue in worker.queues)
    queues = sorted(sources.broker.get_declared_queues())
    on_each = {(queue,): float(served[queue]) for queue in queues}
    yield gauge("queue_workers", "Living worker processes that work on a queue", ("queue",), on_each)


def counters(sources: Sources) -> Iterator[Metric]:
    """What all processes counted."""
    stored, broker = everything(sources.broker.client), sources.broker
    actors, queues = sorted(broker.get_declared_actors()), sorted(broker.get_declared_queues())
    for what in Counted:
        about = f"Counted by the queue: {what.replace('_', ' ')}"
        yield CounterMetricFamily(PREFIX + what, about, value=stored.get(what, 0))
    yield counter(JOBS, stored, product(actors, OUTCOMES))
    yield counter(measures.MAIL_ATTEMPTS, stored, [(kind,) for kind in Kind])
    for tally in (measures.EXPORT_ROWS, measures.EXPORT_BYTES):
        yield counter(tally, stored, [()])
    yield histogram(JOB_SECONDS, stored, actors)
    yield histogram(TAKE_OVERS, stored, queues)
    yield histogram(measures.MAIL_PHASES, stored, [])
    yield histogram(measures.MAIL_DELAY, stored, [measures.URGENT, measures.NOT_URGENT])
    yield histogram(measures.EXPORT_SECONDS, stored, [""])


def memory(sources: Sources) -> Iterator[Metric]:
    """At its limit Redis refuses everything, acknowledgements too."""
    found = cast(dict[str, Any], sources.broker.client.info("memory"))
    yield gauge("redis_memory_bytes", "Memory that Redis uses", (), {(): found["used_memory"]})
    yield gauge("redis_memory_limit_bytes", "What it may use; 0: no limit", (), {(): found["maxmemory"]})
