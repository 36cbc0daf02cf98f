"""The law of the collapse, for one field or element at a time: *last known to the receiver* → *current*."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from project.services.digests.changes import Change, Kind
from project.services.digests.fields import field_named
from project.services.digests.items import Origin

#: Field → element → its net. Fields with one value have the one element "".
Nets = dict[str, dict[str, "Net"]]


@dataclass(frozen=True)
class Net:
    """What one thread of changes comes to. `counted` are the changes that the receiver does not know of."""

    counted: tuple[Change, ...]
    known: str | None
    known_label: str

    @property
    def current(self) -> str | None:
        """Identity of what is there now."""
        return self.counted[-1].new

    @property
    def current_label(self) -> str:
        """The words for it."""
        return self.counted[-1].new_label

    @property
    def moved(self) -> bool:
        """Whether the receiver's knowledge is out of date."""
        return self.known != self.current


def origin_of(counted: Iterable[Change]) -> Origin:
    """Merge who and when over at least one change."""
    ordered = sorted(counted, key=lambda change: change.seq)
    actors = dict.fromkeys(change.actor_id for change in ordered)
    acts = {change.bulk_id for change in ordered}
    return Origin(
        tuple(actors), ordered[0].seq, ordered[0].occurred_at, acts.pop() if len(acts) == 1 else None
    )


def in_order(changes: Iterable[Change]) -> list[Change]:
    """Sort by `seq` and drop repetitions of the same activity."""
    once: dict[tuple[str | int, Kind], Change] = {}
    for change in sorted(changes, key=lambda change: (change.seq, change.activity_id, change.kind)):
        once.setdefault((change.activity_id or change.seq, change.kind), change)
    return list(once.values())


def unread(ordered: list[Change]) -> list[Change]:
    """Keep what came after the last read marker: reading tells everything before it."""
    read = max((change.seq for change in ordered if change.kind is Kind.READ), default=float("-inf"))
    return [change for change in ordered if change.seq > read]


def nets(ordered: Iterable[Change]) -> Nets:
    """Fold each field, and each element of a field with elements, on its own."""
    threads: dict[tuple[str, str], list[Change]] = defaultdict(list)
    for change in ordered:
        for key, part in _parts(change):
            threads[key].append(part)
    found: Nets = defaultdict(dict)
    for (field, element), thread in threads.items():
        if net := _net(thread):
            found[field][element] = net
    return found


def _parts(change: Change) -> Iterator[tuple[tuple[str, str], Change]]:
    """Cut a change into what it does to single elements: what goes, and what comes."""
    match change.kind:
        case Kind.COMMENTED | Kind.MENTIONED if change.comment_id:
            yield ("comment", change.comment_id), change
        case Kind.MENTIONED:
            yield ("description", ""), change
        case Kind.CHANGED if field_named(change.field).many:
            if change.old is not None:
                yield (change.field, change.old), replace(change, new=None)
            if change.new is not None:
                yield (change.field, change.new), replace(change, old=None)
        case Kind.CHANGED:
            yield (change.field, ""), change


def _net(thread: list[Change]) -> Net | None:
    """Count what came after the receiver's own last doing; gaps in between are bridged."""
    own = max((place for place, change in enumerate(thread) if change.own), default=None)
    counted = tuple(thread if own is None else thread[own + 1 :])
    if not counted:
        return None
    if own is None:
        return Net(counted, counted[0].old, counted[0].old_label)
    return Net(counted, thread[own].new, thread[own].new_label)
