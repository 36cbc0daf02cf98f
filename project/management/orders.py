"""The way every order goes: first a preview, and only with ``--yes`` the deed, batch by batch."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from dramatiq import Actor
from dramatiq.errors import BrokerConnectionError

from project.actors.wakes import send_wakes
from project.management.printing import as_json, table
from project.models import Order, Prospect, Wake

BATCH = 200  # of one transaction, and of one record in the audit

T = TypeVar("T")
Outcomes = Mapping[str, Prospect]


@dataclass(frozen=True)
class Deed(Generic[T]):
    """Something to do to things of one kind: how to look ahead, and how to do it to a batch."""

    noun: str
    look: Callable[[list[T]], Outcomes]
    act: Callable[[list[T], Order], Outcomes]


def carry_out(deed: Deed[T], targets: Iterable[T], order: Order | None, options: dict[str, Any]) -> str:
    """Preview the deed for up to ``--limit`` targets, or do it if there is an order.

    What turns out to be done already does not count towards the limit: of two operators who order a hundred
    each at the same time, each gets a hundred.

    Returns:
        What to print.
    """
    rest = iter(targets)
    limit = len(options["ids"]) or options["limit"]
    outcomes = _done(deed, rest, order, limit) if order else deed.look(list(islice(rest, limit)))
    more = next(rest, None) is not None
    return (_json if options["json"] else _text)(deed, outcomes, carried_out=order is not None, more=more)


def send(actor: Actor[..., None], wakes: list[Wake], *, warn: Callable[[str], object]) -> None:
    """Send the wake-ups of rows that were re-queued; a broker that is away costs time only."""
    try:
        send_wakes(actor, wakes)
    except BrokerConnectionError as error:
        warn(f"Redis cannot be reached ({error}): the rows are re-queued, and the sweep will wake them.")


def _done(deed: Deed[T], rest: Iterator[T], order: Order, limit: int) -> Outcomes:
    outcomes: dict[str, Prospect] = {}
    while (wanted := limit - sum(outcome.acts for outcome in outcomes.values())) > 0:
        batch = list(islice(rest, min(wanted, BATCH)))
        if not batch:
            break
        outcomes.update(deed.act(batch, order))
    return outcomes


def _text(deed: Deed[T], outcomes: Outcomes, *, carried_out: bool, more: bool) -> str:
    if not outcomes:
        return f"No {deed.noun} fit."
    lines = [
        table([(key, outcome.word, outcome.detail) for key, outcome in outcomes.items()]),
        f"{len(outcomes)} {deed.noun}: {', '.join(f'{word} {n}' for word, n in _counts(outcomes).items())}.",
    ]
    if more:
        lines.append("There are more: --limit bounds one run.")
    if not carried_out:
        lines.append('Nothing was done. To do it, add --yes --reason "…".')
    return "\n".join(lines)


def _json(deed: Deed[T], outcomes: Outcomes, *, carried_out: bool, more: bool) -> str:
    return as_json(
        {
            "what": deed.noun,
            "carried_out": carried_out,
            "more": more,
            "counts": _counts(outcomes),
            "rows": [{"id": key, **outcome._asdict()} for key, outcome in outcomes.items()],
        }
    )


def _counts(outcomes: Outcomes) -> Counter[str]:
    return Counter(outcome.word for outcome in outcomes.values())
