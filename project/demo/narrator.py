"""Says what happens while it happens."""

import time
from collections.abc import Iterable


class Narrator:
    """Prints lines with the seconds since the beginning."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._began

    def say(self, sentence: str) -> None:
        """Print one line."""
        print(f"{self.seconds:6.1f} s  {sentence}", flush=True)

    def follow(self, act: Iterable[str]) -> None:
        """Let an act happen, and print a line for each of its steps."""
        for sentence in act:
            self.say(f"  {sentence}")
