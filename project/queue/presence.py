"""Middleware by which a worker process tells that it is alive."""

from collections.abc import Callable
from contextlib import suppress
from typing import cast

import redis
from dramatiq import Broker, Worker
from dramatiq.middleware import Middleware

from project.queue.broker import HardenedRedisBroker
from project.queue.processes import WORKER, Process, beat, leave
from project.queue.routine import Routine
from project.queue.watchdog import failing_threads


class Presence(Middleware):
    """Beats every ``maintenance_every``, as long as all threads of the worker do what they should.

    A worker that is stopped goes on beating while it ends what runs, which may take minutes, but names no queue
    any more: it must not be killed for being silent, nor be relied on.
    """

    def __init__(self) -> None:
        self._routine: Routine | None = None
        self._ending = False

    def after_worker_boot(self, broker: Broker, worker: Worker) -> None:
        """Begin to beat."""
        hardened = cast(HardenedRedisBroker, broker)
        every = hardened.limits.maintenance_every
        self._routine = Routine("queue-presence", every, lambda: self._beat_if_well(hardened, worker))
        self._routine.start()

    def before_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        """Name no queue from here on."""
        self._ending = True
        _tell(leave, broker, _at_work(worker))
        _tell(beat, broker, Process.own(WORKER))

    def after_worker_shutdown(self, broker: Broker, worker: Worker) -> None:
        """Say goodbye."""
        if self._routine:
            self._routine.stop()
        _tell(leave, broker, Process.own(WORKER))

    def _beat_if_well(self, broker: HardenedRedisBroker, worker: Worker) -> None:
        if self._ending:
            beat(broker.client, Process.own(WORKER))
        elif not failing_threads(broker, worker):
            beat(broker.client, _at_work(worker))


def _tell(word: Callable[[redis.Redis, Process], None], broker: Broker, process: Process) -> None:
    with suppress(redis.RedisError):  # it will be missed instead
        word(cast(HardenedRedisBroker, broker).client, process)


def _at_work(worker: Worker) -> Process:
    queues = {name for name in list(worker.consumers) if name not in worker.broker.delay_queues}
    return Process.own(WORKER, tuple(queues))
