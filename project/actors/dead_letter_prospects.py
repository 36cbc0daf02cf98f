"""What an order for dead letters would come to: would the message run again, and to what end?"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

import dramatiq
from django.conf import settings
from dramatiq import ActorNotFound, Message

from project.actors.digests import send_digest
from project.actors.notifications import fan_out_event
from project.models import Prospect, Verb, Wake
from project.queue.client import connect
from project.queue.dead_letter import DeadLetter
from project.queue.ledger import Ledger
from project.services.digests.requeue import idle_digests
from project.services.maintenance.requeue_events import idle_events

_ROWS: dict[str, Callable[[Sequence[Wake]], dict[Wake, str]]] = {
    send_digest.actor_name: idle_digests,
    fan_out_event.actor_name: idle_events,
}
_LINE = 300  # characters of an error that are kept when its letter is gone


def key(letter: DeadLetter) -> str:
    """How operators name a dead letter."""
    return f"{letter.queue}/{letter.entry_id}"


def readable(text: str) -> str:
    """Foreign text as it can be shown and stored anywhere: control characters and broken ones are replaced."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)


def row_of(letter: DeadLetter) -> Wake | None:
    """The row that a letter was to wake, if it is one that we know how to look at."""
    match letter.message:
        case Message(actor_name=actor, args=(str(row_id), int(dispatch))) if actor in _ROWS:
            with suppress(ValueError):
                return Wake(UUID(row_id), dispatch)
    return None


def prospects(verb: Verb, letters: Sequence[DeadLetter]) -> dict[str, Prospect]:
    """What ordering `verb` for these letters would come to now, by their keys.

    Raises:
        redis.RedisError: if Redis does not answer.
    """
    idle = _idle(letters)
    judge = _if_discarded if verb is Verb.DISCARD else _if_requeued
    return {key(letter): judge(letter, idle.get(letter.entry_id, "")) for letter in letters}


def _if_requeued(letter: DeadLetter, idle: str) -> Prospect:
    if letter.message is None:
        return Prospect(False, "unreadable", "it can only be discarded")
    try:
        dramatiq.get_broker().get_actor(letter.actor)
    except ActorNotFound:
        return Prospect(False, "unknown actor", f"this version has no {letter.actor}: it would die at once")
    if idle:
        return Prospect(True, "will do nothing", f"{idle}; {_history(letter)}")
    return Prospect(True, "will run", _history(letter))


def _if_discarded(letter: DeadLetter, idle: str) -> Prospect:
    is_open = row_of(letter) is not None and not idle
    warning = "its row is open, so the sweep wakes it again; " if is_open else ""
    return Prospect(True, "will be discarded", f"{warning}{_history(letter)}")


def _history(letter: DeadLetter) -> str:
    """In one line what would be lost with the letter."""
    message: Message[Any] | str = letter.message or "unreadable"
    text = f"was {message}, {letter.attempts} attempts, {letter.reason}: {letter.error}"
    return readable(text).replace("\n", " ")[:_LINE]


def _idle(letters: Sequence[DeadLetter]) -> dict[str, str]:
    """Which letters would do nothing, by entry id: the work is done, or the row has moved on."""
    found = _done(letters)
    for actor, look in _ROWS.items():
        rows = {
            letter.entry_id: row for letter in letters if letter.actor == actor and (row := row_of(letter))
        }
        reasons = look(list(rows.values()))
        found |= {entry_id: reasons[row] for entry_id, row in rows.items() if row in reasons}
    return found


def _done(letters: Sequence[DeadLetter]) -> dict[str, str]:
    names = {letter.entry_id: letter.message.message_id for letter in letters if letter.message}
    with connect(settings.DEDUP_REDIS_URL, settings.LIMITS.enqueue_timeout) as client:
        done = Ledger(client, settings.LIMITS).done(names.values())
    return {entry_id: "its work is done" for entry_id, name in names.items() if name in done}
