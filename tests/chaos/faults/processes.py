"""What becomes of the product's own processes, wherever they are."""

import signal
from collections.abc import Iterator
from random import Random

from tests.chaos.crew import send
from tests.chaos.scene import Scene


def kill_any(scene: Scene, dice: Random) -> Iterator[float]:
    """SIGKILL for a worker's child or a scheduler, wherever it is."""
    if pids := scene.crew.pids():
        send(dice.choice(pids), signal.SIGKILL)
    yield 0


def kill_master(scene: Scene, dice: Random) -> Iterator[float]:
    """SIGKILL for a worker's master alone."""
    master = dice.choice(scene.crew.workers)
    if master.is_running():
        send(master.pid, signal.SIGKILL)
    yield 0


def stop_any(scene: Scene, dice: Random) -> Iterator[float]:
    """SIGTERM for a worker or a scheduler, as a deployment does."""
    child = dice.choice([*scene.crew.workers, *scene.crew.schedulers])
    if child.is_running():
        send(child.pid, signal.SIGTERM)
    yield 0
