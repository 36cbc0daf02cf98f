"""Lets faults happen, many at a time, and keeps starting again whoever has ended."""

import time
from collections import Counter
from collections.abc import Iterator
from random import Random

import psycopg
import redis

from project.demo.patience import wait_for
from tests.chaos.deck import Card
from tests.chaos.scene import Scene

STEP = 0.05  # seconds
PATIENCE = 120  # seconds until the first mail
UNREACHABLE = (redis.RedisError, psycopg.Error)  # a server that another fault has just taken away


class Storm:
    """The faults that go on, by their lanes.

    Attributes:
        struck: How often each fault began, by its function's name.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._going_on: dict[str, tuple[float, Iterator[float]]] = {}
        self.struck: Counter[str] = Counter()

    def blow(self, cards: Iterator[Card], dice: Random, *, seconds: float, pace: float) -> None:
        """Begin a fault every `pace` seconds, more or less; one whose lane is taken is left out."""
        due = time.monotonic()
        end = due + seconds
        while (now := time.monotonic()) < end:
            if now >= due:
                self._begin(next(cards), dice)
                due += dice.uniform(0.5, 1.5) * pace
            self._step()

    def wait_for_mail(self) -> None:
        """Let everybody get to work undisturbed, until a mail has arrived.

        Raises:
            TookTooLongError: if none does.
        """
        wait_for("first mail", lambda: self._step() or self._scene.smtp.accepted, seconds=PATIENCE)

    def calm_down(self) -> None:
        """Let all faults come to their ends."""
        while self._going_on:
            self._step()

    def _begin(self, card: Card, dice: Random) -> None:
        if card.lane not in self._going_on:
            self._going_on[card.lane] = (0, card.fault(self._scene, dice))
            self.struck[card.fault.__name__] += 1

    def _step(self) -> None:
        for lane, (due, fault) in list(self._going_on.items()):
            if time.monotonic() >= due:
                self._go_on(lane, fault)
        self._scene.crew.revive()
        time.sleep(STEP)

    def _go_on(self, lane: str, fault: Iterator[float]) -> None:
        try:
            self._going_on[lane] = (time.monotonic() + next(fault), fault)
        except (StopIteration, *UNREACHABLE):
            del self._going_on[lane]
