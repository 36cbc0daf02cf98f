"""``manage.py deadletters``: look at messages that ran out of retries, run them again, throw them away."""

from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

import redis
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from project.actors.dead_letter_prospects import key, prospects, readable
from project.actors.dead_letters import carry_out, find, office, search
from project.management import orders
from project.management.arguments import add_json, add_listing, add_order, narrowed, order, span
from project.management.orders import Deed
from project.management.printing import as_json, table
from project.models import MOMENT, Order, Prospect, Verb
from project.queue.dead_letter import DeadLetter, Wanted
from project.queue.dead_letters import DeadLetters

FILTERS = ("queue", "actor", "error")


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
            acting.add_argument("ids", nargs="*", metavar="QUEUE/ID", help="as listed, instead of filters")
            _add_filters(acting)
            add_order(acting)

    def handle(self, *args: Any, **options: Any) -> None:
        """Do what the verb says.

        Raises:
            CommandError: if a queue or dead letter is not there, or Redis cannot be reached.
        """
        verb = options["verb"]
        try:
            desk = office()
            if verb == "list":
                text = _list(desk, options)
            elif verb == "show":
                text = _show(desk, options)
            else:
                text = _order(Verb(verb), desk, options)
        except redis.RedisError as error:
            raise CommandError(
                f"Redis failed: {error}. How far an order came is in the audit; given again, nothing is done twice."
            ) from error
        self.stdout.write(readable(text))


def _add_filters(parser: ArgumentParser) -> None:
    parser.add_argument("--queue", help="of this queue only")
    parser.add_argument("--actor", help="for this actor only, by its exact name")
    parser.add_argument(
        "--error", metavar="TEXT", help="with this in the reason or the last error, in any case"
    )
    add_listing(parser, "died")


def _list(desk: DeadLetters, options: dict[str, Any]) -> str:
    letters = list(islice(_found(desk, options), options["limit"]))
    if options["json"]:
        return as_json([_summary(letter) for letter in letters])
    rows = [[x["id"], x["died_at"], x["message"], x["reason"], x["error"]] for x in map(_summary, letters)]
    in_all = ", ".join(f"{queue} {number}" for queue, number in desk.counts().items())
    return f"{table(rows) or 'No dead letters fit.'}\nIn all: {in_all}"


def _show(desk: DeadLetters, options: dict[str, Any]) -> str:
    [letter] = _named(desk, options["ids"])
    [prospect] = prospects(Verb.REQUEUE, [letter]).values()
    fields = {
        **_summary(letter),
        "attempts": letter.attempts,
        "if_requeued": f"{prospect.word}: {prospect.detail}",
    }
    if options["json"]:
        return as_json({**fields, "traceback": letter.traceback, "body": repr(letter.body)})
    return f"{table(list(fields.items()))}\n\n{letter.traceback}".rstrip()


def _order(verb: Verb, desk: DeadLetters, options: dict[str, Any]) -> str:
    given = order(verb, options, narrowed=narrowed(options, FILTERS))
    letters: Iterable[DeadLetter] = _named(desk, options["ids"]) if options["ids"] else _found(desk, options)

    def act(batch: list[DeadLetter], order: Order) -> dict[str, Prospect]:
        return carry_out(desk, batch, order, timezone.now)

    return orders.carry_out(Deed("dead letters", partial(prospects, verb), act), letters, given, options)


def _found(desk: DeadLetters, options: dict[str, Any]) -> Iterator[DeadLetter]:
    known = desk.counts()
    queues = [_known(options["queue"], known)] if options["queue"] else list(known)
    since, until = span(options)
    wanted = Wanted(actor=options["actor"], error=options["error"], since=since, until=until)
    return search(desk, queues, wanted)


def _named(desk: DeadLetters, keys: Iterable[str]) -> list[DeadLetter]:
    return [_letter(desk, name) for name in dict.fromkeys(keys)]


def _letter(desk: DeadLetters, name: str) -> DeadLetter:
    queue, slash, _ = name.partition("/")
    if not slash:
        raise CommandError(f"{name}: name a dead letter as QUEUE/ID, as `deadletters list` does.")
    _known(queue, desk.counts())
    letter = find(desk, name)
    if letter is None:
        raise CommandError(
            f"{name}: no such dead letter. It was re-queued or discarded, or is older than its time to live;"
            f" `deadletters list --queue {queue}` tells what there is."
        )
    return letter


def _known(queue: str, queues: Iterable[str]) -> str:
    if queue not in queues:
        raise CommandError(f"{queue}: no such queue. There are: {', '.join(sorted(queues))}.")
    return queue


def _summary(letter: DeadLetter) -> dict[str, Any]:
    return {
        "id": key(letter),
        "died_at": f"{letter.died_at:{MOMENT}}",
        "message": str(letter.message or "unreadable"),
        "reason": letter.reason,
        "error": letter.error.partition("\n")[0],
    }
