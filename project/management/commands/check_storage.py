"""``manage.py check_storage``: do the settings of the store work?"""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from project.services.exports.probe import probe
from project.services.exports.storage import Storage


class Command(BaseCommand):
    """Writes, lists, fetches and removes an archive, and says what is wrong."""

    help = "Try out S3_URL and S3_PUBLIC_URL. Exit status 1 if something does not work."

    def handle(self, *args: Any, **options: Any) -> None:
        """Try each step and print how it went.

        Raises:
            SystemExit: with status 1, if one went wrong.
        """
        went_wrong = False
        for step in probe(Storage(settings.OBJECT_STORE, settings.PUBLIC_ENDPOINT)):
            self.stdout.write(f"{step.name}: {step.wrong or 'ok'}")
            went_wrong |= bool(step.wrong)
        if went_wrong:
            raise SystemExit(1)
