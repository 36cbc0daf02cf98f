"""The one table of what runs when. Times are UTC."""

from typing import Literal, NamedTuple

from dramatiq import Actor

from project.actors.digests import stack_digests
from project.actors.exports import expire_exports, remove_orphaned_archives
from project.actors.maintenance import sweep

EVERY_MINUTE = "* * * * *"


class Entry(NamedTuple):
    """A periodic actor, when it runs, and why then.

    Attributes:
        actor: It takes no arguments.
        cron: When, in UTC. What may be written here, and what is refused, is in docs/schedule.md.
        reason: Why not more or less often.
        catch_up: What becomes of ticks that were missed. ``last``: the last of them is made up for, once.
            ``none``: nothing, the next one finds the same work.
    """

    actor: Actor[..., None]
    cron: str
    reason: str
    catch_up: Literal["last", "none"] = "none"


SCHEDULE = (
    Entry(
        stack_digests, EVERY_MINUTE, "the windows decide what is due; a minute is the finest they can be met"
    ),
    Entry(sweep, EVERY_MINUTE, "lost wake-ups and due retries wait no longer than a minute for it"),
    Entry(expire_exports, "*/10 * * * *", "who deletes an export wants its archive gone soon"),
    Entry(
        remove_orphaned_archives, "17 * * * *", "it lists the whole store, for leftovers that cost money only"
    ),
)
