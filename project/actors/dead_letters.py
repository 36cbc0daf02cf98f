"""Dead letters and the rows that they were to wake: what an order would come to, and carrying it out.

Here and not in a service, because it takes the queue and the tables together.
"""

import pkgutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from importlib import import_module
from itertools import chain
from typing import cast
from uuid import UUID

import dramatiq
from django.conf import settings

import project.actors
from project.actors.digests import send_digest
from project.actors.notifications import fan_out_event
from project.models import Order, Prospect, RequeueAudit, Verb, Wake
from project.queue.broker import HardenedRedisBroker
from project.queue.client import connect
from project.queue.dead_letter import DeadLetter, Wanted
from project.queue.dead_letters import DeadLetters, Outcome
from project.queue.ledger import Ledger
from project.services.digests.requeue import idle_digests
from project.services.maintenance.requeue_events import idle_events

Idle = Callable[[Sequence[Wake]], dict[Wake, str]]

_ROWS: dict[str, Idle] = {send_digest.actor_name: idle_digests, fan_out_event.actor_name: idle_events}


def office() -> DeadLetters:
    """The dead letters of every queue: all actors are loaded, so all queues are declared."""
    for module in pkgutil.iter_modules(project.actors.__path__):
        import_module(f"{project.actors.__name__}.{module.name}")
    return DeadLetters(cast(HardenedRedisBroker, dramatiq.get_broker()))


def key(letter: DeadLetter) -> str:
    """How operators name a dead letter."""
    return f"{letter.queue}/{letter.entry_id}"


def search(desk: DeadLetters, queues: Iterable[str], wanted: Wanted) -> Iterator[DeadLetter]:
    """The dead letters of these queues that fit, one queue after the other, the oldest first."""
    return chain.from_iterable(desk.search(queue, wanted) for queue in queues)


def prospects(verb: Verb, letters: Sequence[DeadLetter]) -> dict[str, Prospect]:
    """What ordering `verb` for these letters would come to now, by their keys."""
    idle = _idle(letters)
    judge = _if_discarded if verb is Verb.DISCARD else _if_requeued
    return {key(letter): judge(letter, idle.get(key(letter), "")) for letter in letters}
