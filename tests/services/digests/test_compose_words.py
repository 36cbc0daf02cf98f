"""The words of a mail, item by item."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from project.services.digests.blocks import ChangeBlock, NoteBlock, block_of
from project.services.digests.items import Creation, DescriptionEdit, Item, Unreadable
from project.services.digests.wording import moment, people_in_words, zone_named
from tests.services.digests.views import by, elements, note, value

PEOPLE = {"ann": "Ann", "bob": "Bob", "carl": "Carl", "eve": "Eve"}

WHY = "automatically after 3 months without activity"

CHANGES: list[tuple[Item, str]] = [
    (value("state", "Todo", "Done"), "State: Todo → Done"),
    (value("state", "", "Done"), "State: (unnamed) → Done"),
    (value("target_date", None, "2026-01-10"), "Due date: set to 10 Jan 2026"),
    (value("target_date", "2026-01-10", None), "Due date: removed (was 10 Jan 2026)"),
    (value("target_date", "soon", "2026-02-30"), "Due date: soon → 2026-02-30"),
    (value("name", "A\r\nBcc: x", "B\u2028\u202eC"), "Title: A Bcc: x → B C"),
    (value("estimate_points", None, "3"), "Estimate: set to 3"),
    (value("archived_at", None, "archived"), "Issue: archived"),
    (value("archived_at", "archived", None), "Issue: restored"),
    (value("custom_field", "x", "y"), "Custom field: x → y"),
    (value("name", "x" * 300, None), f"Title: removed (was {'x' * 199}…)"),
    (elements("labels", ("ui", "docs"), ("bug",)), "Labels: added ui, docs; removed bug"),
    (elements("blocked_by", ("WEB-7",)), "Blocked by: added WEB-7"),
    (elements("sub_issues", (), ("WEB-7",)), "Sub-issues: removed WEB-7"),
    (elements("cycles", ("Sprint 5",), ("Sprint 4",)), "Cycles: added Sprint 5; removed Sprint 4"),
    (elements("link", ("https://a.org", "javascript:x")), "Links: added https://a.org, javascript:x"),
    (
        elements("link", tuple(f"https://a.org/{n}" for n in range(12))),
        f"Links: added {', '.join(f'https://a.org/{n}' for n in range(10))} and 2 more",
    ),
    (replace(value("archived_at", None, "archived"), why=WHY), f"Issue: archived {WHY}"),
    (replace(value("state", "Todo", "Void"), why=f"{WHY}\r\n!"), f"State: Todo → Void, {WHY} !"),
    (
        elements("attachment", (f"w1/{'0a' * 16}-plan.pdf",), ("",)),
        "Attachments: added plan.pdf; removed (unnamed)",
    ),
    (
        elements("labels", tuple("abcdefghijklmn")),
        "Labels: added a, b, c, d, e, f, g, h, i, j and 4 more",
    ),
    (DescriptionEdit(origin=by(), count=1), "Description: edited"),
    (DescriptionEdit(origin=by(), count=3), "Description: edited 3 times"),
    (Creation(origin=by(), properties=()), "Issue: created"),
    (
        Creation(
            origin=by(),
            properties=(
                value("priority", None, "high"),
                value("state", "A", "Todo"),
                elements("labels", ("bug",)),
            ),
        ),
        "Issue: created with priority high, state Todo, labels bug",
    ),
    (Unreadable(origin=by()), "Issue: changed in a way that this mail cannot show"),
]


@pytest.mark.parametrize(("item", "words"), CHANGES, ids=[words for _, words in CHANGES])
def test_a_change_in_words(item: Item, words: str) -> None:
    block = block_of(item, PEOPLE, UTC)
    assert isinstance(block, ChangeBlock)
    assert (block.summary, block.by, block.when) == (words, "Ann", "15 Jan 2026, 23:26 UTC")


@pytest.mark.parametrize(
    ("given", "heading"),
    [
        (note(), "Ann commented"),
        (note(edited=True, origin=by("ann", "bob")), "Ann and Bob commented (edited)"),
        (note(mention=True), "Ann mentioned you in a comment"),
        (note(mention=True, comment_id=None), "Ann mentioned you in the description"),
        (note(origin=by(None)), "A former member commented"),
    ],
)
def test_a_note_in_words(given: Item, heading: str) -> None:
    block = block_of(given, PEOPLE, UTC)
    assert isinstance(block, NoteBlock)
    assert block.summary == f"{heading}: look"


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p></p>", "No text."),
        ('<img src="https://x.example/cat.png">', "[image]"),
        ("<p>before</p><image-component src='x'></image-component><p>after</p>", "before [image] after"),
        ('<p><img src="https://x.example/cat.png" alt="A cat"></p>', "[image: A cat]"),
    ],
)
def test_a_comment_without_text_says_so_and_images_are_told(html: str, words: str) -> None:
    block = block_of(note(html), PEOPLE, UTC)
    assert block.summary == f"Ann commented: {words}"
    assert isinstance(block, NoteBlock)
    assert words in " ".join(re.sub("<[^>]*>", " ", block.body.html).split())
    assert "x.example" not in block.body.html


@pytest.mark.parametrize(
    ("actors", "words"),
    [
        (["ann"], "Ann"),
        (["ann", "bob"], "Ann and Bob"),
        (["ann", "bob", "eve"], "Ann, Bob and Eve"),
        (["ann", "bob", "eve", "carl"], "Ann, Bob and 2 others"),
        ([None, "gone"], "A former member and A former member"),
    ],
)
def test_people_in_words(actors: list[str | None], words: str) -> None:
    assert people_in_words(actors, PEOPLE) == words


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        ("Asia/Kolkata", "16 Jan 2026, 04:56 IST"),
        ("America/Los_Angeles", "15 Jan 2026, 15:26 PST"),
        ("America/Sao_Paulo", "15 Jan 2026, 20:26 UTC-03"),
        *(
            (name, "15 Jan 2026, 23:26 UTC")
            for name in ("UTC", "", "Nowhere/City", "../passwd", "Europe", "a\0", "localtime")
        ),
    ],
)
def test_times_are_the_receivers_and_say_so(zone: str, words: str) -> None:
    at = datetime(2026, 1, 15, 23, 26, tzinfo=UTC)
    assert moment(at, zone_named(zone)) == moment(at.replace(tzinfo=None), zone_named(zone)) == words


def test_what_cannot_be_described_says_so(caplog: pytest.LogCaptureFixture) -> None:
    broken = value("state", 7, "Done")  # type: ignore[arg-type]
    block = block_of(broken, PEOPLE, UTC)
    assert block.summary == "Issue: changed in a way that this mail cannot show"
    assert "ValueChange" in caplog.text
