"""Middleware that keeps the queues of a worker process in order."""

from typing import cast

from dramatiq import Broker, Worker
from dramatiq.middleware import Middleware

from project.queue import metrics
from project.queue.broker import HardenedRedisBroker
from project.queue.orphans import Orphans
from project.queue.routine import Routine


class Keeper(Middleware):
    """Every ``maintenance_every``, for each consumed queue: a heartbeat, dead workers' messages back to the
    queue, orphans too; then the counters to Redis. Runs apart from the consumers, which fetch nothing (and so
    would neither beat nor maintain) while their process is busy.
    """

    def __init__(self) -> None:
        self._routine: Routine | None = None

    def before_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Make the broker a worker's."""
        cast(HardenedRedisBroker, broker).serve()

    def after_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Begin the rounds."""
        hardened = cast(HardenedRedisBroker, broker)
        rounds = _Rounds(hardened, worker)
        self._routine = Routine("queue-keeper", hardened.limits.maintenance_every, rounds.make)
        self._routine.start()

    def after_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        """End the rounds; until here the process still had messages to hold."""
        if self._routine:
            self._routine.stop()


class _Rounds:
    def __init__(self, broker: HardenedRedisBroker, worker: Worker) -> None:
        self._broker = broker
        self._worker = worker
        self._orphans = Orphans(broker)
        self._reachable = True

    def make(self) -> None:
        """One round. The first one after an outage declares nobody dead: all heartbeats are old then."""
        was_reachable, self._reachable = self._reachable, False
        for queue_name in list(self._worker.consumers):
            if was_reachable:
                self._broker.do_maintain(queue_name)
            self._orphans.reap(queue_name)
        metrics.flush(self._broker.client)
        self._reachable = True
