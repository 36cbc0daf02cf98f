"""``manage.py check_email``: do the settings of mail work?"""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, OperationalError
from django.utils import timezone

from project.models import MOMENT
from project.services.digests.breaker import Breaker
from project.services.digests.check import Step, check_server, check_settings, send_test
from project.services.digests.draft import Letterhead


class Command(BaseCommand):
    """Tries each step on the way to a sent mail, and says what helps where one fails."""

    help = "Try out EMAIL_URL, NOTIFY_FROM and SITE_URL. Exit status 1 if something does not work."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the receiver of a test mail."""
        parser.add_argument("--to", metavar="ADDRESS", help="send a test mail there as well")

    def handle(self, *args: Any, **options: Any) -> None:
        """Try each step and print how it went.

        Raises:
            SystemExit: with status 1, if one went wrong.
        """
        went_wrong = False
        for step in _steps(options["to"]):
            self.stdout.write(f"{step.name}: {step.wrong or 'ok'}")
            if step.advice:
                self.stdout.write(f"    {step.advice}")
            went_wrong |= bool(step.wrong)
        if went_wrong:
            raise SystemExit(1)


def _steps(to: str | None) -> Iterator[Step]:
    server, limits = settings.MAIL_SERVER, settings.LIMITS
    letterhead = Letterhead(settings.NOTIFY_FROM, settings.SITE_URL)
    yield from check_settings(server, letterhead)
    reached = True
    for step in check_server(server, letterhead.sender, limits):
        yield step
        reached = not step.wrong
    if to and reached:
        yield send_test(server, letterhead, to, now=timezone.now(), limits=limits)
    yield _breaker(Breaker(server, letterhead.sender, limits))


def _breaker(breaker: Breaker) -> Step:
    name = "mail is not stopped by the breaker"
    try:
        state = breaker.state()
    except OperationalError as error:
        return Step(name, f"the database cannot be asked: {error}".strip(), "Correct DATABASE_URL.")
    except DatabaseError:
        return Step(name, "the database has not all of the tables", "Run: manage.py migrate")
    if state.stopped_at is None:
        return Step(name)
    since = f"stopped since {state.stopped_at:{MOMENT}}: {state.cause}; {state.waiting} digests wait"
    return Step(name, since, "Once the steps above work, `manage.py mail resume` has it tried at once.")
