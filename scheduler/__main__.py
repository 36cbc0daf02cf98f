"""``python -m scheduler``: runs the schedule until SIGTERM. With ``--check``, only checks it."""

import argparse
import logging
import os
import signal
import sys
from datetime import UTC, datetime

import django
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
django.setup()

from scheduler.check import faults  # noqa: E402 (the actors need the apps)
from scheduler.schedule import SCHEDULE  # noqa: E402
from scheduler.steady import SteadyScheduler  # noqa: E402

logger = logging.getLogger("scheduler")


def main() -> None:
    """Check the schedule, then run it.

    Raises:
        SystemExit: with status 1 and the reasons if an entry would not run when it should; with status 0 at
            SIGTERM, and after a mere check.
    """
    parser = argparse.ArgumentParser(
        prog="python -m scheduler", description="Send the ticks of the schedule."
    )
    parser.add_argument("--check", action="store_true", help="only check the schedule")
    only_check = parser.parse_args().check
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    now = datetime.now(UTC)
    if wrong := faults(SCHEDULE, now.date()):
        sys.exit("\n".join(["The schedule is refused.", *wrong]))
    logger.info("the %d entries of the schedule are as their cron lines say", len(SCHEDULE))
    if not only_check:
        scheduler = SteadyScheduler(SCHEDULE, settings.LIMITS, now)
        scheduler.schedule()
        scheduler.loop()


if __name__ == "__main__":
    main()
