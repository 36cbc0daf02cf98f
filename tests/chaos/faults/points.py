"""What becomes of processes that come to a certain point, and of the rows that they are at."""

import signal
from collections.abc import Generator, Iterator
from random import Random

from django.conf import settings

from tests.chaos.crew import send
from tests.chaos.faults import Fault
from tests.chaos.points import ATTEMPT_BEGUN, BODY_SENT, Point
from tests.chaos.scene import Scene
from tests.chaos.traps import Sprung

LOOK = 0.1  # seconds between two looks
WORK = 5  # mails that have to arrive before the next trap is set, so that whoever was started again gets to work …
IDLE = 30  # … but this many seconds at most


def kill_at(point: Point) -> Fault:
    """SIGKILL for whoever comes to `point` next."""

    def kill_at_a_point(scene: Scene, dice: Random) -> Iterator[float]:
        yield from _some_work(scene)
        yield from _ambush(scene, point, signal.SIGKILL)

    return kill_at_a_point


def freeze_at(point: Point) -> Fault:
    """SIGSTOP for whoever comes to `point` next, and SIGCONT when its leases are over."""

    def freeze_at_a_point(scene: Scene, dice: Random) -> Iterator[float]:
        yield from _some_work(scene)
        late = yield from _ambush(scene, point, signal.SIGSTOP)
        yield 2 * settings.LIMITS.lease.total_seconds()
        if late:
            send(late.pid, signal.SIGCONT)

    return freeze_at_a_point


def late_and_dead(scene: Scene, dice: Random) -> Iterator[float]:
    """One is frozen before the fence, whoever takes its mail over dies, and then the first one wakes."""
    yield from _some_work(scene)
    if late := (yield from _ambush(scene, BODY_SENT, signal.SIGSTOP)):
        yield from _ambush(scene, ATTEMPT_BEGUN, signal.SIGKILL, row=late.work[0])
        send(late.pid, signal.SIGCONT)


def _ambush(
    scene: Scene, point: Point, number: signal.Signals, row: str = ""
) -> Generator[float, None, Sprung | None]:
    """Set a trap and wait until somebody runs into it; return whom it got, None if nobody came."""
    before = len(scene.traps.sprung())
    scene.traps.set(point.name, number, row)
    patience = 2 * settings.LIMITS.recovery_budget.total_seconds()
    for _ in range(int(patience / LOOK)):
        yield LOOK
        caught = [
            one for one in scene.traps.sprung()[before:] if (one.point, one.signal) == (point.name, number)
        ]
        if caught:
            return caught[0]
    scene.traps.take_back(point.name)
    return None


def _some_work(scene: Scene) -> Iterator[float]:
    goal = len(scene.smtp.accepted) + WORK
    for _ in range(int(IDLE / LOOK)):
        if len(scene.smtp.accepted) >= goal:
            return
        yield LOOK
