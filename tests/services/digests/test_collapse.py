"""The collapse by example: what happened on one issue, and what is left to tell "me"."""

import pytest

from project.services.digests.changes import Change, Kind
from project.services.digests.collapse import collapse
from project.services.digests.items import Note
from tests.services.digests.story import (
    brief,
    comment,
    created,
    deleted,
    happened,
    in_sequence,
    mention,
    minus,
    plus,
    read,
    value,
)

AT_ME = (
    '<p><mention-component entity_identifier="me" entity_name="user_mention"></mention-component> look</p>'
)
AT_BOB = '<p><mention-component entity_identifier="bob" entity_name="user_mention"></mention-component></p>'

CHANGES: dict[str, tuple[list[Change], list[str]]] = {
    "E1 chain": (
        [value("state", "Todo", "Doing"), value("state", "Doing", "Done")],
        ["state Todo>Done by Ann"],
    ),
    "E2 there and back": ([value("state", "Todo", "Doing"), value("state", "Doing", "Todo")], []),
    "E3 back, then away": (
        [value("state", "A", "B"), value("state", "B", "A"), value("state", "A", "C")],
        ["state A>C by Ann"],
    ),
    "E4 two actors": (
        [value("priority", "low", "high"), value("priority", "high", "urgent", "Bob")],
        ["priority low>urgent by Ann Bob"],
    ),
    "E5 one undoes the other": (
        [value("priority", "low", "high"), value("priority", "high", "low", "Bob")],
        [],
    ),
    "E6 order of first event": (
        [value("state", "A", "B"), value("priority", "low", "high"), value("state", "B", "C")],
        ["state A>C by Ann", "priority low>high by Ann"],
    ),
    "E7 set": ([value("target_date", None, "2026-01-10")], ["target_date ->2026-01-10 by Ann"]),
    "E8 set and removed": (
        [value("target_date", None, "2026-01-10"), value("target_date", "2026-01-10", None)],
        [],
    ),
    "E9 mine in between": (
        [value("state", "A", "B"), value("state", "B", "C", "me"), value("state", "C", "D")],
        ["state C>D by Ann"],
    ),
    "E10 mine last": ([value("state", "A", "B"), value("state", "B", "C", "me")], []),
    "E11 read in between": (
        [value("state", "A", "B"), read(), value("state", "B", "C", "Bob")],
        ["state B>C by Bob"],
    ),
    "E12 read last": ([value("state", "A", "B"), read()], []),
    "E13 gap": ([value("state", "A", "B"), value("state", "C", "D")], ["state A>D by Ann"]),
    "E14 added and removed": (
        [plus("labels", "bug"), plus("labels", "ui"), minus("labels", "bug")],
        ["labels +ui by Ann"],
    ),
    "E15 removed and added": ([minus("labels", "bug"), plus("labels", "bug", "Bob")], []),
    "E16 one line a field": (
        [plus("assignees", "Bob"), minus("assignees", "Eve")],
        ["assignees +Bob -Eve by Ann"],
    ),
    "E17 on, off, on": (
        [plus("labels", "x"), minus("labels", "x"), plus("labels", "x")],
        ["labels +x by Ann"],
    ),
    "E18 description edits": (
        [
            value("description", "h0", "h1"),
            value("description", "h1", "h2"),
            value("description", "h2", "h3", "Bob"),
        ],
        ["description x3 by Ann Bob"],
    ),
    "E19 description there and back": (
        [value("description", "h0", "h1"), value("description", "h1", "h0")],
        [],
    ),
    "E29 creation absorbs": (
        [
            created(),
            value("priority", None, "high"),
            plus("labels", "bug"),
            value("state", "Backlog", "Todo"),
        ],
        ["created by Ann | priority ->high by Ann | state Backlog>Todo by Ann | labels +bug by Ann"],
    ),
    "E30 deleted": ([created(), value("state", "A", "B"), deleted()], []),
    "a gap after mine": (
        [value("state", "A", "B", "me"), value("state", "C", "D")],
        ["state B>D by Ann"],
    ),
    "my removal resets that element only": (
        [plus("labels", "x"), plus("labels", "y"), minus("labels", "x", "me"), plus("labels", "x", "Bob")],
        ["labels +y +x by Ann Bob"],
    ),
    "what cancelled out names nobody": (
        [plus("labels", "x"), minus("labels", "x", "Bob"), plus("labels", "y", "Eve")],
        ["labels +y by Eve"],
    ),
    "a link that was moved": ([value("link", "u1", "u2")], ["link +u2 -u1 by Ann"]),
    "a link that was moved and moved back": ([value("link", "u1", "u2"), value("link", "u2", "u1")], []),
    "only what a new issue has": (
        [created(), value("priority", "low", None), minus("labels", "bug"), value("description", "h0", "h1")],
        ["created by Ann"],
    ),
    "created by me": ([created("me"), value("state", "A", "B")], ["state A>B by Ann"]),
    "creation was read": ([created(), read(), value("state", "A", "B")], ["state A>B by Ann"]),
    "nobody known": ([value("state", "A", "B", None)], ["state A>B by ?"]),
    "unreadable": (
        [happened(Kind.UNREADABLE, "Ann"), value("state", "A", "B")],
        ["unreadable by Ann", "state A>B by Ann"],
    ),
    "mine and unreadable": ([happened(Kind.UNREADABLE, "me")], []),
    "deletion is final": ([deleted(), read(), value("state", "A", "B")], []),
    "nothing": ([], []),
}

TEXTS: dict[str, tuple[list[Change], dict[str, str], list[str]]] = {
    "E20 edited comment": (
        [comment("c1", None, "teh fix"), comment("c1", "teh fix", "the fix")],
        {"c1": "the fix"},
        ["comment c1* by Ann"],
    ),
    "E21 deleted comment": ([comment("c1", None, "x"), comment("c1", "x", None)], {}, []),
    "E22 two comments": (
        [comment("c1", None, "x"), comment("c2", None, "y", "Bob")],
        {"c1": "x", "c2": "y"},
        ["comment c1 by Ann", "comment c2 by Bob"],
    ),
    "E23 mention taken back": (
        [mention("c1", None, AT_ME), comment("c1", AT_ME, "look")],
        {"c1": "look"},
        ["comment c1* by Ann"],
    ),
    "E24 mention added": (
        [comment("c1", None, "look"), mention("c1", "look", AT_ME)],
        {"c1": AT_ME},
        ["mention c1* by Ann"],
    ),
    "E25 edit of an old comment": ([comment("c9", "teh", "the")], {"c9": "the"}, []),
    "E26 edit of an old comment mentions me": (
        [mention("c9", "look", AT_ME)],
        {"c9": AT_ME},
        ["mention c9* by Ann"],
    ),
    "E27 old comment mentioned me already": ([comment("c9", AT_ME, AT_ME + "!")], {"c9": AT_ME + "!"}, []),
    "E28 my comment": ([comment("c1", None, "x", "me")], {"c1": "x"}, []),
    "E33 only the comment": (
        [value("state", "A", "B"), comment("c1", None, "x", "Bob"), value("state", "B", "A")],
        {"c1": "x"},
        ["comment c1 by Bob"],
    ),
    "E34 created and commented": (
        [created(), comment("c1", None, "x", "Bob")],
        {"c1": "x"},
        ["comment c1 by Bob", "created by Ann"],
    ),
    "mentions before comments before changes": (
        [value("state", "A", "B"), comment("c1", None, "x"), mention("c2", None, AT_ME)],
        {"c1": "x", "c2": AT_ME},
        ["mention c2 by Ann", "comment c1 by Ann", "state A>B by Ann"],
    ),
    "one comment, recorded as mention and as comment": (
        [comment("c1", None, AT_ME), mention("c1", None, AT_ME)],
        {"c1": AT_ME},
        ["mention c1 by Ann"],
    ),
    "mentions switched off": ([comment("c1", None, AT_ME)], {"c1": AT_ME}, ["comment c1 by Ann"]),
    "mention taken out and put back": (
        [comment("c9", AT_ME, "look"), mention("c9", "look", AT_ME)],
        {"c9": AT_ME},
        [],
    ),
    "somebody else is mentioned": ([mention("c1", None, AT_BOB)], {"c1": AT_BOB}, ["comment c1 by Ann"]),
    "comment was read, then edited": (
        [comment("c1", None, "x"), read(), comment("c1", "x", "y")],
        {"c1": "y"},
        [],
    ),
    "my comment, edited to mention me": (
        [comment("c1", None, "x", "me"), mention("c1", "x", AT_ME)],
        {"c1": AT_ME},
        ["mention c1* by Ann"],
    ),
}


@pytest.mark.parametrize(("changes", "told"), CHANGES.values(), ids=CHANGES)
def test_changes(changes: list[Change], told: list[str]) -> None:
    assert [brief(item) for item in collapse(in_sequence(*changes), receiver_id="me", comments={})] == told


@pytest.mark.parametrize(("changes", "comments", "told"), TEXTS.values(), ids=TEXTS)
def test_texts(changes: list[Change], comments: dict[str, str], told: list[str]) -> None:
    items = collapse(in_sequence(*changes), receiver_id="me", comments=comments)
    assert [brief(item) for item in items] == told
    assert [item.html for item in items if isinstance(item, Note)] == [
        comments[item.comment_id or ""] for item in items if isinstance(item, Note)
    ]


def test_the_same_event_twice_counts_once() -> None:  # E31
    changes = in_sequence(value("description", "h0", "h1"))
    (item,) = collapse(changes * 2, receiver_id="me", comments={})
    assert brief(item) == "description x1 by Ann"


def test_late_arrival_changes_nothing() -> None:  # E32
    changes = in_sequence(value("state", "A", "B"), value("state", "B", "C"))
    (item,) = collapse(reversed(changes), receiver_id="me", comments={})
    assert brief(item) == "state A>C by Ann"


@pytest.mark.parametrize(
    ("changes", "description", "told"),
    [
        ([mention(None, None, AT_ME)], AT_ME, ["mention description by Ann"]),
        ([mention(None, None, AT_ME), value("description", AT_ME, "x")], "x", ["description x1 by Ann"]),
        ([mention(None, "x", AT_ME)], AT_ME, ["mention description* by Ann"]),
        ([value("description", "x", "y"), mention(None, "y", AT_ME)], AT_ME, ["mention description* by Ann"]),
        ([mention(None, AT_ME, AT_ME + "!")], AT_ME + "!", ["description x1 by Ann"]),
        ([created(), mention(None, None, AT_ME)], AT_ME, ["mention description by Ann", "created by Ann"]),
        ([mention(None, None, AT_ME)], "x", []),
    ],
)
def test_mention_in_the_description(changes: list[Change], description: str, told: list[str]) -> None:
    items = collapse(in_sequence(*changes), receiver_id="me", comments={}, description=description)
    assert [brief(item) for item in items] == told
