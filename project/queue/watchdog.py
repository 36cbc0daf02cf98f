"""Middleware that ends a process which can no longer do its work, so that the supervisor starts another."""

import logging
import os
import signal
from typing import cast

from dramatiq import Broker, Worker
from dramatiq.middleware import Middleware

from project.queue.broker import HardenedRedisBroker
from project.queue.metrics import Counted, count
from project.queue.routine import Routine

logger = logging.getLogger(__name__)


class Watchdog(Middleware):
    """Looks after the worker's threads. A dead one, or a consumer that has been silent for the whole recovery
    budget, means messages that nobody will ever run although the process seems alive to all others. Then the
    process sends itself SIGTERM: what runs may finish, the rest goes back to the queue.
    """

    def __init__(self) -> None:
        self._routine: Routine | None = None
        self._suspects: set[str] = set()

    def after_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Begin to watch."""
        hardened = cast(HardenedRedisBroker, broker)
        self._routine = Routine(
            "queue-watchdog", hardened.limits.maintenance_every, lambda: self._look(hardened, worker)
        )
        self._routine.start()

    def before_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        """From here on threads end on purpose."""
        if self._routine:
            self._routine.stop()

    def _look(self, broker: HardenedRedisBroker, worker: Worker) -> None:
        """Two looks in a row decide: a process that wakes from a long pause looks dead to itself at first."""
        failing = failing_threads(broker, worker)
        confirmed, self._suspects = failing & self._suspects, failing
        if not confirmed or self._routine is None or self._routine.stopped:
            return  # stopped: a shutdown ends threads too, but it stops this routine before
        self._routine.stop()
        count(Counted.THREAD_DEATHS, len(confirmed))
        logger.critical("stopping this process, threads are dead or stuck: %s", ", ".join(confirmed))
        os.kill(os.getpid(), signal.SIGTERM)


def failing_threads(broker: HardenedRedisBroker, worker: Worker) -> set[str]:
    """Names of the worker's threads that have died, and of consumers that are stuck."""
    patience = broker.limits.recovery_budget.total_seconds()
    consumers = {f"consumer of {name}": thread for name, thread in list(worker.consumers.items())}
    dead = {thread.name for thread in worker.workers if not thread.is_alive()}
    return dead | {
        name
        for name, thread in consumers.items()
        if not thread.is_alive() or (broker.pulse.silence(thread) > patience and not thread.paused)
    }
