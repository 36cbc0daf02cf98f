"""The operators' way to the dead letters.

Here and not in a service, because it takes the queue and the tables together.
"""

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from importlib import import_module
from itertools import chain
from typing import cast

import dramatiq

import project.actors
from project.actors.dead_letter_prospects import key, prospects
from project.models import Order, Prospect, RequeueAudit, Verb
from project.queue.broker import HardenedRedisBroker
from project.queue.dead_letter import DeadLetter, Wanted
from project.queue.dead_letters import DeadLetters, Outcome

_CONFLICTS = {
    Outcome.GONE: "somebody else was faster, or it expired",
    Outcome.CHANGED: "it is not the one that was looked at",
    Outcome.UNREADABLE: "it can only be discarded",
}


def office() -> DeadLetters:
    """The dead letters of every queue: all actors are loaded, so all queues are declared."""
    for module in pkgutil.iter_modules(project.actors.__path__):
        import_module(f"{project.actors.__name__}.{module.name}")
    return DeadLetters(cast(HardenedRedisBroker, dramatiq.get_broker()))


def find(desk: DeadLetters, name: str) -> DeadLetter | None:
    """The dead letter that operators name so; None if it is gone."""
    queue, _, entry_id = name.partition("/")
    return desk.get(queue, entry_id)


def search(desk: DeadLetters, queues: Iterable[str], wanted: Wanted) -> Iterator[DeadLetter]:
    """The dead letters of these queues that fit: one queue after the other, the oldest first."""
    return chain.from_iterable(desk.search(queue, wanted) for queue in queues)


def carry_out(
    desk: DeadLetters, letters: Sequence[DeadLetter], order: Order, clock: Callable[[], datetime]
) -> dict[str, Prospect]:
    """Do it, letter by letter; the record of the order is written before and completed after.

    Raises:
        redis.RedisError: if Redis failed in between; the record then tells how far it came.
    """
    ahead = prospects(order.verb, letters)
    audit = RequeueAudit.begin(order, RequeueAudit.Target.DEAD_LETTERS, ahead)
    act = desk.discard if order.verb is Verb.DISCARD else desk.requeue
    outcomes: dict[str, Prospect] = {}
    try:
        for letter in letters:
            prospect = ahead[key(letter)]
            outcomes[key(letter)] = _told(act(letter), prospect, order.verb) if prospect.acts else prospect
    finally:
        audit.finish(outcomes, now=clock())
    return outcomes


def _told(outcome: Outcome, prospect: Prospect, verb: Verb) -> Prospect:
    conflict = _CONFLICTS.get(outcome)
    return Prospect(False, outcome, conflict) if conflict else prospect.came_true(verb)
