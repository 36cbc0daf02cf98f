"""``manage.py explain``: why did, or did not, this person get this mail, or this export?"""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from project.management.arguments import add_json
from project.management.printing import as_json, table
from project.models import MOMENT, NotFoundError, Step, Story
from project.services.digests import explain as mails
from project.services.digests.explain_lookup import as_uuid, find_issue, find_user
from project.services.exports.explain import explain_export

QUESTIONS = {**mails.QUESTIONS, "export": explain_export}


class Command(BaseCommand):
    """Prints the whole way from an event to a mail, or from a wish to an archive, with the reasons."""

    help = "Why did, or did not, this person get this mail, or this export? With what would change it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what can be asked."""
        asked = parser.add_subparsers(dest="asked", required=True)
        for name in QUESTIONS:
            about = asked.add_parser(name, help=f"the story of one {name}")
            about.add_argument("id", metavar="ID")
            add_json(about)
        person = asked.add_parser("user", help="the newest events of an issue, for one person")
        person.add_argument("user", metavar="USER", help="address or id")
        person.add_argument("word", choices=["issue"], metavar="issue")
        person.add_argument("issue", metavar="ISSUE", help="key such as ACME-12, or id")
        add_json(person)

    def handle(self, *args: Any, **options: Any) -> None:
        """Look it up and print it.

        Raises:
            CommandError: if there is nothing of that name.
        """
        try:
            stories = _stories(options)
        except NotFoundError as error:
            raise CommandError(error) from error
        self.stdout.write(as_json([_as_object(s) for s in stories]) if options["json"] else _text(stories))


def _stories(options: dict[str, Any]) -> list[Story]:
    if options["asked"] == "user":
        person, issue = find_user(options["user"]), find_issue(options["issue"])
        return mails.explain_person(person, issue, now=timezone.now(), limits=settings.LIMITS)
    return QUESTIONS[options["asked"]](_id(options["id"]), now=timezone.now(), limits=settings.LIMITS)


def _id(text: str) -> UUID:
    row_id = as_uuid(text)
    if row_id is None:
        raise NotFoundError(f"{text}: this is no id. The lists, the admin and the log files tell ids.")
    return row_id


def _text(stories: list[Story]) -> str:
    return "\n\n".join(map(_story, stories)) or "Nothing has happened on this issue."


def _story(story: Story) -> str:
    rows = [row for step in story.steps for row in _rows(step)]
    return f"{story.title}\n{table(rows)}"


def _rows(step: Step) -> list[tuple[str, str, str]]:
    when = f"{step.when:{MOMENT}}" if step.when else ""
    because = [("", "", f"— {step.because}")] if step.because else []
    return [(when, step.name, step.what), *because]


def _as_object(story: Story) -> dict[str, Any]:
    return {"title": story.title, "steps": [step._asdict() for step in story.steps]}
