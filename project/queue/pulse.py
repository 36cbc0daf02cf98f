"""Signs of life of the threads that talk to Redis."""

import time
from threading import Thread, get_ident


class Pulse:
    """Remembers when each thread last showed that it is not stuck."""

    def __init__(self) -> None:
        self._last: dict[int, float] = {}

    def beat(self) -> None:
        """The calling thread is alive."""
        self._last[get_ident()] = time.monotonic()

    def silence(self, thread: Thread) -> float:
        """Seconds since the last sign of life; 0 before the first one."""
        now = time.monotonic()
        return now - self._last.get(thread.ident or 0, now)
