"""How explain words reasons and times."""

from datetime import datetime
from typing import NamedTuple

from project.models import MOMENT, MailBreaker


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


def stopped_words(stop: MailBreaker) -> str:
    """Tell since when all mail is stopped, and for what."""
    return f"all mail is stopped since {stop.opened_at:{MOMENT}}: {stop.cause}"
