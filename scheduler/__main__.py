"""``python -m scheduler``: runs the schedule until SIGTERM."""

import os

import django
from django.conf import settings
from periodiq import cron

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
django.setup()

from scheduler.schedule import SCHEDULE  # noqa: E402 (actors need the apps)
from scheduler.ticks import SteadyScheduler, run_every, stop_on_sigterm  # noqa: E402

CRON_PACE = 60


def main() -> None:
    """Send the ticks of the schedule; a `TICK` below a minute replaces cron by that pace."""
    stop_on_sigterm()
    pace = settings.LIMITS.tick
    if pace.total_seconds() < CRON_PACE:
        run_every(pace, [entry.actor for entry in SCHEDULE])
    for entry in SCHEDULE:
        entry.actor.options["periodic"] = cron(entry.cron)
    scheduler = SteadyScheduler(actors=[entry.actor for entry in SCHEDULE])
    scheduler.schedule()
    scheduler.loop()


if __name__ == "__main__":
    main()
