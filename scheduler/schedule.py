"""The one table of what runs when. Times are UTC."""

from typing import NamedTuple

from dramatiq import Actor

from project.actors.digests import stack_digests
from project.actors.maintenance import sweep


class Entry(NamedTuple):
    """A periodic actor, its cron line (UTC) and why it runs so often."""

    actor: Actor[..., None]
    cron: str
    reason: str


SCHEDULE = (
    Entry(
        stack_digests, "* * * * *", "the windows decide what is due; a minute is the finest they can be met"
    ),
    Entry(sweep, "* * * * *", "lost wake-ups and due retries wait no longer than a minute for it"),
)
