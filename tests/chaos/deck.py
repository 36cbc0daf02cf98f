"""The faults of a storm, like cards: shuffled, drawn one by one, and shuffled anew when none is left."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import NamedTuple

from tests.chaos.faults import Fault, mail, points, processes, servers
from tests.chaos.points import POINTS

TRAPS = 2  # at most so many are set at the same time
FREEZES = 6  # points of a deck at which somebody is frozen


class Card(NamedTuple):
    """A fault, and its lane: what two faults at the same time would quarrel about."""

    lane: str
    fault: Fault


def _kills(dice: Random) -> list[Card]:
    return [Card(_trap(number), points.kill_at(point)) for number, point in enumerate(POINTS)]


def _freezes(dice: Random) -> list[Card]:
    chosen = dice.sample(POINTS, FREEZES)
    return [Card("freeze", points.freeze_at(point)) for point in chosen]


def _rivals(dice: Random) -> list[Card]:
    return [Card("freeze", points.late_and_dead)]


def _trap(number: int) -> str:
    return f"trap {number % TRAPS}"


def _outages(dice: Random) -> list[Card]:
    return [
        *[Card("postgres", servers.crash_postgres)] * 2,
        Card("postgres", servers.end_sessions),
        Card("postgres", servers.refuse_writes),
        *[Card("valkey", servers.crash_valkey)] * 2,
        Card("valkey", servers.lose_valkey),
        Card("valkey", servers.empty_valkey),
        Card("valkey", servers.fill_valkey),
        Card("valkey", servers.freeze_valkey),
        Card("network", servers.cut_all),
        *[Card("network", servers.cut_answers)] * 2,
        *[Card("mail", mail.trouble)] * 5,
    ]


def _everything(dice: Random) -> list[Card]:
    return [
        *_kills(dice),
        *_kills(dice),
        *_freezes(dice),
        *_rivals(dice),
        *[Card("anybody", processes.kill_any)] * 6,
        *[Card("anybody", processes.kill_master)] * 2,
        *[Card("anybody", processes.stop_any)] * 2,
        *_outages(dice),
    ]


#: By name: one kill at each point; a late worker and its dead heir; what servers and network do while the product's
#: processes live; all of it, and more.
DECKS: Mapping[str, Callable[[Random], list[Card]]] = {
    "kills": _kills,
    "rivals": _rivals,
    "outages": _outages,
    "everything": _everything,
}


def draw(name: str, dice: Random) -> Iterator[Card]:
    """Deal from the deck of that name for ever; the order depends on the dice alone."""
    while True:
        deck = DECKS[name](dice)
        dice.shuffle(deck)
        yield from deck
