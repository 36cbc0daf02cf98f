"""A private Redis server and broker, and schedulers that are woken by the test instead of by time."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

import dramatiq
import pytest
from dramatiq.middleware import CurrentMessage

from project.actors.periodic import periodic
from project.queue.broker import HardenedRedisBroker
from scheduler.steady import SteadyScheduler
from tests.queue.conftest import brisk_worker, broker, configure, make_broker, server, shared_server
from tests.scheduler.waiting import waiting_ticks

__all__ = ["brisk_worker", "broker", "configure", "make_broker", "server", "shared_server"]


@dataclass
class Job:
    """A periodic actor in queue ``q`` that notes the ticks it ran for, and then does what `then` says."""

    broker: HardenedRedisBroker
    name: str = "job"
    effects: list[datetime] = field(default_factory=list)
    then: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        def work() -> None:
            message = CurrentMessage.get_current_message()
            assert message
            self.effects.append(datetime.fromisoformat(message.options["scheduled_at"]))
            self.then()

        work.__name__ = self.name
        self.actor: dramatiq.Actor[[], None] = periodic(queue_name="q")(work)

    @property
    def waiting(self) -> list[datetime]:
        """Its ticks on the queue, in order."""
        return [tick for name, tick in waiting_ticks(self.broker, "q") if name == self.name]


@pytest.fixture
def job(broker: HardenedRedisBroker) -> Job:
    return Job(broker)


def wake(now: datetime, *schedulers: SteadyScheduler) -> None:
    """Do what periodiq's scheduler does when its alarm goes off."""
    for scheduler in schedulers:
        due = [ticker for ticker in scheduler.actors if ticker.options["periodic"].validate(now)]
        scheduler.send_actors(due, now)
