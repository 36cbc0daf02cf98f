"""What became of a contender's mails, and how the table says it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

HEAD = f"{'':<26}{'calm':>8}{'kills':>7}{'missing':>9}{'doubled':>9}{'copies':>8}{'last mail':>11}"


@dataclass(frozen=True)
class Result:
    """The end of one run.

    Attributes:
        kills: How often its worker died.
        missing: Mails that had not arrived when patience was at its end.
        doubled: Mails that arrived more than once.
        copies: How many arrivals too many that makes.
        seconds: From the first start of the worker to the last arrival.
    """

    kills: int
    missing: int
    doubled: int
    copies: int
    seconds: float

    @classmethod
    def of(cls, arrivals: Iterable[str], *, mails: int, kills: int, seconds: float) -> "Result":
        """Count; each of the `mails` has a name, and `arrivals` are the names of what came, copies too."""
        came = list(arrivals)
        once, doubled = set[str](), set[str]()
        for name in came:
            (doubled if name in once else once).add(name)
        return cls(kills, mails - len(once), len(doubled), len(came) - len(once), seconds)

    @property
    def is_perfect(self) -> bool:
        """Whether each mail arrived once."""
        return not (self.missing or self.doubled)


def row(name: str, calm: Result, kill: Callable[[], Result]) -> str:
    """Return a line under `HEAD`, or why there is none.

    Args:
        name: Whose.
        calm: What came of it when nobody was killed. If that is not perfect, the set-up does not work, and deaths
            would prove nothing.
        kill: Does the run with kills.
    """
    if not calm.is_perfect:
        return f"{name}: without a kill {calm.missing} missing, {calm.doubled} doubled; no row"
    killed = kill()
    return (
        f"{name:<26}{calm.seconds:>6.0f} s{killed.kills:>7}{killed.missing:>9}{killed.doubled:>9}"
        f"{killed.copies:>8}{killed.seconds:>9.0f} s"
    )
