"""The way every order goes: first a preview, and only with ``--yes`` the deed, batch by batch."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from project.management.printing import as_json, table
from project.models import Order, Prospect, Verb

BATCH = 200  # of one transaction, and of one record in the audit

T = TypeVar("T")


@dataclass(frozen=True)
class Deed(Generic[T]):
    """One verb for one kind of thing: how to look ahead, and how to do it to a batch."""

    verb: Verb
    noun: str
    look: Callable[[Sequence[T]], Mapping[str, Prospect]]
    act: Callable[[Sequence[T], Order], Mapping[str, Prospect]]


def carry_out(deed: Deed[T], targets: Iterable[T], order: Order | None, options: dict[str, Any]) -> str:
    """Preview the deed for up to ``--limit`` targets, or do it if there is an order.

    What turns out to be done already does not count: of two operators who order a hundred each at the same
    time, each gets a hundred.

    Returns:
        What to print.
    """
    rest = iter(targets)
    if order is None:
        outcomes = deed.look(list(islice(rest, options["limit"])))
    else:
        outcomes = _done(deed, rest, order, options["limit"])
    more = next(rest, None) is not None
    return (_json if options["json"] else _text)(deed, outcomes, order, more=more)


def _done(deed: Deed[T], rest: Iterator[T], order: Order, limit: int) -> dict[str, Prospect]:
    outcomes: dict[str, Prospect] = {}
    while (wanted := limit - sum(outcome.acts for outcome in outcomes.values())) > 0:
        batch = list(islice(rest, min(wanted, BATCH)))
        if not batch:
            break
        outcomes.update(deed.act(batch, order))
    return outcomes


def _counts(outcomes: Mapping[str, Prospect]) -> Counter[str]:
    return Counter(outcome.word for outcome in outcomes.values())


def _text(deed: Deed[T], outcomes: Mapping[str, Prospect], order: Order | None, *, more: bool) -> str:
    if not outcomes:
        return f"No {deed.noun} fit."
    counted = ", ".join(f"{word} {number}" for word, number in _counts(outcomes).most_common())
    rows = table([(key, outcome.word, outcome.detail) for key, outcome in outcomes.items()])
    lines = [f"{deed.verb.label} {deed.noun}: {counted}", rows]
    if more:
        lines.append("There are more; --limit bounds one run.")
    if order is None:
        lines.append('Nothing was done. To do it, add --yes --reason "…".')
    return "\n".join(lines)


def _json(deed: Deed[T], outcomes: Mapping[str, Prospect], order: Order | None, *, more: bool) -> str:
    return as_json(
        {
            "verb": deed.verb.value,
            "what": deed.noun,
            "carried_out": order is not None,
            "counts": _counts(outcomes),
            "more": more,
            "rows": [{"id": key, **outcome._asdict()} for key, outcome in outcomes.items()],
        }
    )
