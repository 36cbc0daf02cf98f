"""``manage.py deadletters``: look at messages that ran out of retries, run them again, throw them away."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import redis
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from project.actors.dead_letter_prospects import key, prospects, readable
from project.actors.dead_letters import carry_out, office, search
from project.management import orders
from project.management.arguments import add_json, add_listing, add_order, order, span
from project.management.orders import Deed
from project.management.printing import as_json, table
from project.models import MOMENT, Verb
from project.queue.dead_letter import DeadLetter, Wanted
from project.queue.dead_letters import DeadLetters

FILTERS = ("queue", "actor", "error", "older_than", "newer_than")


class Command(BaseCommand):
    """Lists, shows, re-queues and discards dead letters."""

    help = "Dead letters: messages that ran out of retries. requeue and discard only preview without --yes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the verbs."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        _add_filters(verbs.add_parser("list", help="what there is, the oldest first"))
        show = verbs.add_parser("show", help="one of them, with its traceback")
        show.add_argument("ids", nargs=1, metavar="QUEUE/ID")
        add_json(show)
        for verb, help_ in ((Verb.REQUEUE, "run them again"), (Verb.DISCARD, "throw them away")):
            acting = verbs.add_parser(verb.value, help=help_)
            acting.add_argument("ids", nargs="*", metavar="QUEUE/ID", help="as listed; then no filters")
            _add_filters(acting)
            add_order(acting)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says.

        Raises:
            CommandError: if a queue or dead letter is not there, or Redis cannot be reached.
        """
        try:
            desk = office()
            self.stdout.write(_VERBS[options["verb"]](desk, options))
        except redis.RedisError as error:
            raise CommandError(
                f"Redis failed: {error}. An order that was begun is in the audit with how far it came;"
                " to give it again does nothing twice."
            ) from error


def _add_filters(parser: ArgumentParser) -> None:
    parser.add_argument("--queue", help="of this queue only")
    parser.add_argument("--actor", help="for this actor only, by its exact name")
    parser.add_argument("--error", metavar="TEXT", help="whose reason or last error contains this, in any case")
    add_listing(parser)


def _list(desk: DeadLetters, options: dict[str, Any]) -> str:
    letters = list(islice(_found(desk, options), options["limit"]))
    if options["json"]:
        return as_json([_summary(letter) for letter in letters])
    rows = [
        (key(x), f"{x.died_at:{MOMENT}}", x.message or "unreadable", x.attempts, x.reason, _first_line(x.error))
        for x in letters
    ]
    total = ", ".join(f"{queue} {number}" for queue, number in desk.counts().items())
    return "\n".join(filter(None, [table(rows) if rows else "No dead letters fit.", f"In all: {total}"]))


def _show(desk: DeadLetters, options: dict[str, Any]) -> str:
    [letter] = _named(desk, options["ids"])
    [prospect] = prospects(Verb.REQUEUE, [letter]).values()
    whole = _summary(letter) | {
        "if_requeued": f"{prospect.word}: {prospect.detail}",
        "options": letter.message and letter.message.options,
        "traceback": readable(letter.traceback),
    }
    if options["json"]:
        return as_json(whole)
    return table([(name, value) for name, value in whole.items() if name != "options"])


def _order(verb: Verb, desk: DeadLetters, options: dict[str, Any]) -> str:
    narrowed = bool(options["ids"]) or any(options[name] for name in FILTERS)
    given = order(verb, options, narrowed=narrowed)
    letters: Iterable[DeadLetter] = (
        _named(desk, options["ids"]) if options["ids"] else _found(desk, options)
    )
    deed = Deed(verb, "dead letters", partial(prospects, verb), partial(_carry_out, desk))
    return orders.carry_out(deed, letters, given, options)
