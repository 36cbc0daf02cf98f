"""The one table of what runs when. Times are UTC."""

from typing import Literal, NamedTuple

from django.conf import settings
from dramatiq import Actor

from project.actors.clean_up import (
    delete_for_good,
    delete_old_mail,
    delete_old_records,
    delete_spent_rows,
)
from project.actors.digests import stack_digests
from project.actors.exports import expire_exports, remove_orphaned_archives
from project.actors.idle_issues import archive_idle_issues, close_idle_issues
from project.actors.maintenance import sweep
from project.actors.metrics import push_metrics
from project.services.maintenance.crontab import EVERY_MINUTE


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
    Entry(
        archive_idle_issues,
        "0 1 * * *",
        "projects count in months; at night, when few look at what moves",
        catch_up="last",
    ),
    Entry(close_idle_issues, "20 1 * * *", "as for archiving, and after it", catch_up="last"),
    Entry(
        delete_for_good,
        "0 2 * * *",
        "limits of days are met within one; apart from the others, which read the same disks",
        catch_up="last",
    ),
    Entry(delete_old_mail, "20 2 * * *", "as for deleted rows", catch_up="last"),
    Entry(delete_old_records, "40 2 * * *", "as for deleted rows", catch_up="last"),
    Entry(delete_spent_rows, "50 * * * *", "sessions end all day, and few at a time are few to delete"),
    *(
        [Entry(push_metrics, EVERY_MINUTE, "Prometheus would ask about as often")]
        if settings.PUSHGATEWAY_URL
        else []
    ),
)
