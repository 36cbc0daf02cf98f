"""What explain answers with: stories, step by step, in words and times. No table; features share the shape."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


class NotFoundError(LookupError):
    """Nothing is named like that, or more than one; the text says so, and what would do."""


class Step(NamedTuple):
    """One step on the way from a cause to its effect, or the one where the way ends.

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
