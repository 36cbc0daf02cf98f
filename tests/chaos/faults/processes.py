"""What becomes of the product's own processes."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from random import Random

from tests.chaos.faults import Fault
from tests.chaos.points import Point
from tests.chaos.scene import Scene

LOOK = 0.1  # seconds between two looks at a trap
AMBUSH = 12  # seconds after which nobody is going to pass
WORK = 5  # mails that have to arrive before the next trap is set, so that whoever was started again gets to work …
IDLE = 30  # … but this many seconds at most


def kill_at(point: Point) -> Fault:
    """SIGKILL for whoever comes to `point` next."""

    def kill_at_a_point(scene: Scene, dice: Random) -> Iterator[float]:
        yield from _ambush(scene, point, signal.SIGKILL)

    return kill_at_a_point


def freeze_at(point: Point, seconds: float) -> Fault:
    """SIGSTOP for whoever comes to `point` next, and SIGCONT after `seconds`: longer than any lease."""

    def freeze_at_a_point(scene: Scene, dice: Random) -> Iterator[float]:
        before = len(scene.traps.sprung())
        yield from _ambush(scene, point, signal.SIGSTOP)
        yield seconds
        for sprung in scene.traps.sprung()[before:]:
            if sprung.signal == signal.SIGSTOP:
                _send(sprung.pid, signal.SIGCONT)

    return freeze_at_a_point


def kill_any(scene: Scene, dice: Random) -> Iterator[float]:
    """SIGKILL for a worker's child or a scheduler, wherever it is."""
    if pids := scene.crew.pids():
        _send(dice.choice(pids), signal.SIGKILL)
    yield 0


def kill_master(scene: Scene, dice: Random) -> Iterator[float]:
    """SIGKILL for a worker's master alone."""
    master = dice.choice(scene.crew.workers)
    if master.is_running():
        _send(master.pid, signal.SIGKILL)
    yield 0


def stop_any(scene: Scene, dice: Random) -> Iterator[float]:
    """SIGTERM for a worker or a scheduler, as a deployment does."""
    child = dice.choice([*scene.crew.workers, *scene.crew.schedulers])
    if child.is_running():
        _send(child.pid, signal.SIGTERM)
    yield 0


def _ambush(scene: Scene, point: Point, number: signal.Signals) -> Iterator[float]:
    yield from _some_work(scene)
    scene.traps.set(point.name, number)
    for _ in range(int(AMBUSH / LOOK)):
        yield LOOK
        if not scene.traps.is_set(point.name):
            return
    scene.traps.take_back(point.name)


def _some_work(scene: Scene) -> Iterator[float]:
    goal = len(scene.smtp.accepted) + WORK
    for _ in range(int(IDLE / LOOK)):
        if len(scene.smtp.accepted) >= goal:
            return
        yield LOOK


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)
