"""The schedule, for those who tell of it.

The table is the scheduler's, and nothing here knows the scheduler: the settings name the table.
"""

from django.conf import settings
from django.utils.module_loading import import_string

from project.services.maintenance.standing import Job


def jobs() -> list[Job]:
    """Return the entries of the table, in its order."""
    return [
        Job(entry.actor.actor_name, entry.cron, entry.reason, entry.catch_up)
        for entry in import_string(settings.SCHEDULE)
    ]
