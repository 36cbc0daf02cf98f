"""Counts with labels and distributions of durations, summed over all processes like the plain counters."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from project.queue.metrics import add

_APART = "|"
_ENDLESS = "inf"
_MICRO = 1_000_000


@dataclass(frozen=True)
class Tally:
    """How often something happened, by labels. The values of a label are few, and contain no ``|``."""

    name: str
    help: str
    labels: tuple[str, ...] = ()

    def add(self, *values: str, number: int = 1) -> None:
        """Count; costs no round trip."""
        add({_APART.join((self.name, *values)): number})

    def read(self, stored: Mapping[str, int]) -> dict[tuple[str, ...], int]:
        """What the shared counters say, by the values of the labels."""
        mine = {tuple(name.split(_APART)): number for name, number in stored.items()}
        return {key[1:]: number for key, number in mine.items() if key[0] == self.name}


@dataclass
class Distribution:
    """How many durations were at most as long as each bound, and their sum in seconds."""

    buckets: list[tuple[str, int]] = field(default_factory=list)
    total: float = 0.0


@dataclass(frozen=True)
class Durations:
    """How long something took: counts per bucket, whose upper bounds are in seconds. By one label, or by none
    (its name and its values are empty then).
    """

    name: str
    help: str
    label: str
    bounds: tuple[float, ...]

    def add(self, seconds: float, value: str = "") -> None:
        """Count one duration; costs no round trip."""
        place = bisect_left(self.bounds, seconds)
        bound = str(self.bounds[place]) if place < len(self.bounds) else _ENDLESS
        add({self._field(value, bound): 1, self._field(value, "sum"): round(seconds * _MICRO)})

    def read(self, stored: Mapping[str, int], known: Iterable[str] = ()) -> dict[str, Distribution]:
        """What the shared counters say, by the values of the label, those that are `known` in any case."""
        found = (name.split(_APART) for name in stored)
        values = {parts[1] for parts in found if parts[0] == self.name}.union(known)
        return {value: self._distribution(value, stored) for value in sorted(values)}

    def _distribution(self, value: str, stored: Mapping[str, int]) -> Distribution:
        bounds = [*map(str, self.bounds), _ENDLESS]
        counts = accumulate(stored.get(self._field(value, bound), 0) for bound in bounds)
        names = [*bounds[:-1], "+Inf"]
        return Distribution(
            list(zip(names, counts, strict=True)), stored.get(self._field(value, "sum"), 0) / _MICRO
        )

    def _field(self, value: str, part: str) -> str:
        return _APART.join((self.name, value, part))


#: What jobs and phases of a mail take: from a millisecond to the longest patience.
BRIEF = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)

OUTCOMES = ("done", "skipped", "retried", "dead")
JOBS = Tally("jobs", "Deliveries of messages that ended, by actor and outcome", ("actor", "outcome"))
JOB_SECONDS = Durations("job_seconds", "Run time of jobs that ended well, by actor", "actor", BRIEF)
TAKE_OVERS = Durations(
    "take_over_seconds",
    "From the start of a delivery that never ended to the start of the next one, by queue",
    "queue",
    (1.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 45.0, 60.0, 120.0, 300.0, 1000.0),
)
