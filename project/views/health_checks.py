"""The checks of ``/readyz``: each bounded in time, and all at the same time."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from threading import Lock, Thread
from time import monotonic
from typing import Any

from project.views import health_parts
from project.views.health_parts import WrongError

_KEPT = 1.0  # seconds: however often it is asked, the servers are not
_LONGEST = 4.5  # seconds from the start of a check to an answer: whoever probes gives us five


@dataclass(frozen=True)
class Finding:
    """What a check found; `wrong` is empty if all is well, `advice` says what to do."""

    milliseconds: float
    wrong: str = ""
    advice: str = ""

    @property
    def ok(self) -> bool:
        """Whether all is well."""
        return not self.wrong

    def in_brief(self) -> dict[str, Any]:
        """For everybody."""
        return {"ok": self.ok}

    def in_full(self) -> dict[str, Any]:
        """For who may look at the insides. Errors are named by their type: texts of drivers may hold secrets."""
        told = {"wrong": self.wrong, "advice": self.advice} if self.wrong else {}
        return {"ok": self.ok, "milliseconds": self.milliseconds, **told}


class Try(Thread):
    """One go at a check. It ends by itself, however long that takes: the look-up of a name has no time limit."""

    def __init__(self, act: Callable[[], None], advice: str) -> None:
        super().__init__(name="health", daemon=True)
        self._act, self._advice = act, advice
        self._began = monotonic()
        self._ended: tuple[float, Finding] | None = None

    def run(self) -> None:
        """Carry the check out."""
        wrong, advice = "", self._advice
        try:
            self._act()
        except WrongError as error:
            wrong, advice = str(error), error.advice or advice
        except Exception as error:  # whatever a driver raises, it is the answer
            wrong = type(error).__name__
        self._ended = monotonic(), Finding(self._milliseconds(), wrong, advice)

    def serves(self) -> bool:
        """Whether who asks now can have its answer too: it goes on, or has just ended."""
        return self.is_alive() or (self._ended is not None and monotonic() - self._ended[0] < _KEPT)

    def finding(self) -> Finding:
        """Wait for its answer until it has taken `_LONGEST`."""
        self.join(max(0.0, self._began + _LONGEST - monotonic()))
        if self._ended:
            return self._ended[1]
        return Finding(self._milliseconds(), f"took longer than {_LONGEST:g} s", self._advice)

    def _milliseconds(self) -> float:
        return round((monotonic() - self._began) * 1000, 1)


class Check:
    """What is tried, by one thread at a time, and what to do if it fails."""

    def __init__(self, act: Callable[[], None], advice: str) -> None:
        self._act, self._advice = act, advice
        self._lock = Lock()
        self._last: Try | None = None

    def begun(self) -> Try:
        """Begin, unless somebody else's try will do."""
        with self._lock:
            if self._last is None or not self._last.serves():
                self._last = Try(self._act, self._advice)
                self._last.start()
            return self._last


CHECKS = {
    "database": Check(health_parts.database, "Is PostgreSQL up, and DATABASE_URL right?"),
    "migrations": Check(health_parts.migrations, "Run: manage.py migrate"),
    "redis": Check(health_parts.redis_servers, "Is Redis up, and REDIS_URL right?"),
    "storage": Check(health_parts.storage, "Run: manage.py check_storage"),
    "workers": Check(
        health_parts.workers, "Start workers for these queues, or look at the log of those that ended."
    ),
    "work": Check(health_parts.work, "Look at workers and scheduler: sweeps move what is due."),
}


def check(names: Iterable[str]) -> dict[str, Finding]:
    """Carry out some checks, side by side, or share what others who ask find, or found within the last second."""
    tries = {name: CHECKS[name].begun() for name in names}
    return {name: one.finding() for name, one in tries.items()}
