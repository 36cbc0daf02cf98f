"""What explain answers with: stories, step by step, in words and times."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from project.models import MOMENT


class Step(NamedTuple):
    """One step on the way from an event to a mail, or the one where the way ends.

    Attributes:
        name: The kind of step, in a word or two.
        when: When it was; for what is still to come, when it is due; None if that is not known.
        what: What happened.
        because: Why, and what would have to be otherwise; may be empty.
    """

    name: str
    when: datetime | None
    what: str
    because: str = ""


@dataclass(frozen=True)
class Story:
    """One way, from its beginning to where it stands."""

    title: str
    steps: list[Step]


class Why(NamedTuple):
    """Why something was not done, and what would have to be otherwise ("" if nothing could be)."""

    what: str
    unless: str = ""

    def words(self, deed: str) -> str:
        """Write it out; `deed` is what would be done: "told" or "mailed"."""
        return f"{self.what}; would be {deed} if {self.unless}" if self.unless else self.what


def since(moment: datetime | None, *, at_least: bool = False) -> str:
    """Write " since …"; `at_least` if all that is known is that nothing changed after."""
    if moment is None:
        return ""
    return f" since{' at least' if at_least else ''} {moment:{MOMENT}}"
