"""The collapse by law: walks that know what the receiver knows, and what no history may break."""

import random
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from project.services.digests.changes import Change, Kind
from project.services.digests.collapse import collapse
from project.services.digests.items import SetChange, ValueChange
from tests.services.digests.story import ME, in_sequence, minus, plus, read, value

READS = "reads"
WHO = st.sampled_from(["Ann", "Bob", ME, READS])


@given(
    start=st.sampled_from(["A", "B", None]),
    walk=st.lists(st.tuples(WHO, st.sampled_from(["A", "B", "C", None]))),
)
def test_a_value_goes_from_known_to_current(start: str | None, walk: list[tuple[str, str | None]]) -> None:
    known = current = start
    actors: list[str] = []
    changes = []
    for who, wanted in walk:
        if who == READS:
            changes.append(read())
        elif wanted != current:
            changes.append(value("state", current, wanted, who))
            current = wanted
        else:
            continue
        actors = [] if who in {ME, READS} else [*actors, who]
        known = current if who in {ME, READS} else known
    items = collapse(in_sequence(*changes), receiver_id=ME, comments={})
    assert [(item.old, item.new) for item in items if isinstance(item, ValueChange)] == (
        [(known, current)] if known != current else []
    )
    assert [item.origin.actors for item in items] == ([tuple(dict.fromkeys(actors))] if items else [])


@given(start=st.frozensets(st.sampled_from("xyz")), walk=st.lists(st.tuples(WHO, st.sampled_from("xyz"))))
def test_a_set_goes_from_known_to_current_by_element(
    start: frozenset[str], walk: list[tuple[str, str]]
) -> None:
    known, current = set(start), set(start)
    since: dict[str, list[tuple[int, str]]] = defaultdict(list)
    changes: list[Change] = []
    for who, element in walk:
        if who == READS:
            changes.append(read())
            known = set(current)
            since.clear()
            continue
        changes.append((minus if element in current else plus)("labels", element, who))
        current ^= {element}
        since[element].append((len(changes), who))
        if who == ME:
            known = known - {element} | current & {element}
            del since[element]
    items = collapse(in_sequence(*changes), receiver_id=ME, comments={})
    assert {name for item in items if isinstance(item, SetChange) for name in item.added} == current - known
    assert {name for item in items if isinstance(item, SetChange) for name in item.removed} == known - current
    told = sorted(step for element in known ^ current for step in since[element])
    assert [item.origin.actors for item in items] == (
        [tuple(dict.fromkeys(who for _, who in told))] if told else []
    )


TEXT = st.sampled_from(
    [None, "x", 'y <mention-component entity_identifier="me" entity_name="user_mention"></mention-component>']
)
HISTORIES = st.lists(
    st.builds(
        Change,
        seq=st.integers(1, 20),
        activity_id=st.uuids().map(str),
        kind=st.sampled_from([kind for kind in Kind if kind is not Kind.DELETED]),
        actor_id=st.sampled_from(["Ann", "Bob", None]),
        own=st.booleans(),
        field=st.sampled_from(["state", "labels", "description", "estimate_points", "nobody_knows"]),
        old=TEXT,
        new=TEXT,
        comment_id=st.sampled_from(["c1", "c2", None]),
    ),
    max_size=20,
)


@given(history=HISTORIES, doubled=st.lists(st.integers(0, 19)), seed=st.integers(), now=TEXT)
def test_arrival_does_not_matter(
    history: list[Change], doubled: list[int], seed: int, now: str | None
) -> None:
    comments = {"c1": now} if now else {}
    arrived = history + [history[n] for n in doubled if n < len(history)]
    random.Random(seed).shuffle(arrived)
    assert collapse(arrived, receiver_id=ME, comments=comments) == collapse(
        history, receiver_id=ME, comments=comments
    )


@given(history=HISTORIES)
def test_nothing_is_told_of_what_was_read_or_deleted(history: list[Change]) -> None:
    for last in (Kind.READ, Kind.DELETED):
        ended = [*history, Change(seq=99, kind=last)]
        assert collapse(ended, receiver_id=ME, comments={"c1": "x", "c2": "y"}) == []
