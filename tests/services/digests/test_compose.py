"""The whole mail: both parts tell the same, whatever is put in, and it stays within its bounds."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project.services.digests.blocks import block_of
from project.services.digests.compose import MAX_HTML, MAX_ITEMS, compose
from project.services.digests.items import Creation, DescriptionEdit, Item, Unreadable
from tests.services.digests.rendered import Rendered
from tests.services.digests.views import AT, by, elements, note, value, view

ONE_OF_EACH: list[Item] = [
    note("<p>please look &amp; tell</p>", mention=True),
    note("<p>done</p>", origin=by("bob"), edited=True),
    Creation(origin=by("eve"), properties=(value("priority", None, "high"),)),
    value("state", "Todo", "In Progress"),
    value("target_date", None, "2026-01-10"),
    elements("labels", ("ui",), ("bug",)),
    DescriptionEdit(origin=by("ann", "bob", "eve", "carl"), count=3),
    Unreadable(origin=by(None)),
]


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_both_parts_tell_every_item() -> None:
    content = compose(view(*ONE_OF_EACH))
    html, text = Rendered(content.html).text, squeezed(content.text)
    for item in ONE_OF_EACH:
        block = block_of(item, view().people, UTC)
        told = squeezed(block.words if hasattr(block, "words") else block.heading)
        assert told in html
        assert told in text
    for words in ("please look & tell", "done", "Ann Lee, Bob Stone and 2 others", "A former member"):
        assert words in html
        assert words in text


def test_subject_is_the_key_and_the_title_as_it_is() -> None:
    assert compose(view(issue_title="a\nb <c>")).subject == "[WEB-42] a\nb <c>"


def test_preheader_is_the_first_item_in_words() -> None:
    content = compose(view(value("state", "Todo", "Done"), note("<p>" + "word " * 50 + "</p>")))
    assert content.preheader.startswith("State: Todo → Done; Ann Lee commented: word word")
    assert 100 < len(content.preheader) <= 110
    hidden = re.search(r'<body[^>]*>\s*<div style="display:none[^"]*">([^<]*)</div>', content.html)
    assert hidden is not None
    assert hidden[1] == content.preheader


@pytest.mark.parametrize("title", ["R&D <beta> \"x\" 'y'", "<a href='https://evil.example'>Reset</a>"])
def test_titles_and_names_are_text(title: str) -> None:
    content = compose(
        view(
            note(origin=by("ann")),
            value("name", title, title),
            issue_title=title,
            workspace=title,
            project=title,
            issue_state=title,
            receiver_name=title,
            people={"ann": title},
        )
    )
    rendered = Rendered(content.html)
    assert rendered.text.count(title) == 9
    assert squeezed(content.text).count(title) >= 6
    assert not [element for element in rendered.elements if "evil.example" in element.attrs.get("href", "")]


@pytest.mark.parametrize("break_", ["\r\n", "\n", "\u2028", "\x85", "\x00", "\t"])
def test_a_title_stays_one_line(break_: str) -> None:
    content = compose(view(issue_title=f"Line{break_}Bcc: x@example.org"))
    assert "WEB-42: Line Bcc: x@example.org\n" in content.text


def test_half_an_emoji_can_be_encoded() -> None:
    half = "\ud83d!"
    content = compose(view(note(half), value("name", None, half), issue_title=half, people={"ann": half}))
    for part in (content.text, content.html, content.preheader):
        assert "\ufffd!" in part
        assert part.encode()


def test_times_are_in_the_receivers_zone_and_dates_are_dates() -> None:
    content = compose(view(value("target_date", None, "2026-01-10"), timezone="America/Los_Angeles"))
    for part in (content.text, content.html):
        assert "10 Jan 2026" in part
        assert "15 Jan 2026, 15:26 PST" in part
        assert "Times are in America/Los_Angeles." in part


def test_who_and_when_is_told_once_for_what_one_person_did_in_one_minute() -> None:
    later = by("ann", at=AT + timedelta(minutes=1))
    changes = [
        value("priority", "low", "high"),
        value("state", "Todo", "Done"),
        value("name", "A", "B", later),
        value("parent", None, "WEB-1", by("bob", at=later.at)),
    ]
    content = compose(view(note(), *changes))
    shown = Rendered(content.html).text
    assert (
        "* Priority: low → high\n* State: Todo → Done\n  Ann Lee, 16 Jan 2026, 00:26 CET\n\n* Title"
        in content.text
    )
    for part in (content.text, shown):
        times = re.findall(r"(?:Ann Lee|Bob Stone), 16 Jan 2026, 00:2\d", part)
        assert [found[-1] for found in times] == ["6", "7", "7"]


def test_the_foot_says_what_the_link_stops_and_that_nobody_reads_replies() -> None:
    content = compose(view(value("state", "Todo", "Done")))
    assert f"Unsubscribe from this issue: {view().unsubscribe_url}" in content.text
    for part in (content.text, Rendered(content.html).text):
        assert "Nobody reads replies to this address." in " ".join(part.split())
        assert "Unsubscribe from this issue" in part


def test_items_that_are_too_many_are_counted() -> None:
    content = compose(view(*(value(f"field {n}", None, f"value {n}") for n in range(67))))
    assert f"value {MAX_ITEMS - 1}" in content.html
    assert f"value {MAX_ITEMS}" not in content.html + content.text
    assert "And 42 more updates on the issue's page." in Rendered(content.html).text
    assert f"And 42 more updates: {view().issue_url}" in content.text


def test_a_large_mail_loses_whole_items() -> None:
    big = "<p>" + "".join(f'<a href="https://x.example/{"y" * 900}{n}">a</a>' for n in range(10)) + "</p>"
    content = compose(view(*(note(big) for _ in range(20))))
    rendered = Rendered(content.html)
    shown = rendered.text.count("Ann Lee commented")
    assert 5 < shown < 20
    assert len(content.html.encode()) <= MAX_HTML
    assert f"And {20 - shown} more updates" in rendered.text
    assert content.text.count("Ann Lee commented") == shown


def test_one_bad_item_costs_itself() -> None:
    broken: Any = object()
    items = [
        note(broken),
        value("state", broken, "x"),
        value("target_date", None, "31/12/26"),
        value("state", "", ""),
        note("<p><b>not closed"),
        value("priority", "low", "high", by("ann", at=datetime.max.replace(tzinfo=UTC))),
        value("priority", "low", "urgent", by("ann", at=None)),
    ]
    html = Rendered(compose(view(*items)).html).text
    assert html.count("changed in a way that this mail cannot show") == 3
    for words in ("31/12/26", "(unnamed) → (unnamed)", "not closed", "low → urgent"):
        assert words in html


def test_lines_of_the_text_are_short_unless_an_address_is_not() -> None:
    address = f"https://x.example/{'y' * 100}"
    content = compose(
        view(note(f"<blockquote>{'word ' * 100}{address}</blockquote>"), issue_title="long " * 40)
    )
    assert [line for line in content.text.split("\n") if len(line) > 76 and "https://" not in line] == []
    assert sum(line == f"  > {address}" for line in content.text.split("\n")) == 1


ANYTHING = st.text("aé<>&'\"\n\x00\u202e\ud800🙂 -*>1.")
VALUES = st.none() | ANYTHING


@settings(deadline=None)
@given(
    st.lists(
        st.builds(note, ANYTHING, mention=st.booleans())
        | st.builds(value, st.sampled_from(["state", "target_date", "attachment", "x"]), VALUES, VALUES)
        | st.builds(
            elements, st.just("labels"), st.lists(ANYTHING).map(tuple), st.lists(ANYTHING).map(tuple)
        ),
        max_size=5,
    ),
    ANYTHING,
)
def test_any_text_makes_a_sound_mail(items: list[Item], text: str) -> None:
    content = compose(view(*items, issue_title=text, people={"ann": text}, project=text))
    Rendered(content.html)
    assert content.text.encode()
    assert "\x00" not in content.text + content.preheader
