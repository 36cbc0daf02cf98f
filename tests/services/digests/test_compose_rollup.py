"""The mail about many issues: acts on many of them in one line, the others one by one, within its bounds."""

from dataclasses import replace

import pytest

from project.services.digests.compose import MAX_HTML, MAX_ITEMS
from project.services.digests.compose_rollup import MAX_ISSUES, compose_rollup
from project.services.digests.items import DescriptionEdit, Item
from project.services.digests.reason import Reason
from project.services.digests.rollup import IssueView, RollupView
from tests.services.digests.rendered import Rendered, contrast
from tests.services.digests.views import by, elements, note, value

HOST = "https://tracker.example.org"


def issue(number: int, *items: Item, **fields: str) -> IssueView:
    given = {"title": f"Title {number}", "state": "Todo", "project": "Website", **fields}
    return IssueView(key=f"WEB-{number}", url=f"{HOST}/acme/projects/1/issues/{number}", items=items, **given)


def rollup(*issues: IssueView, **fields: object) -> RollupView:
    view = RollupView(
        receiver_name="Mia Chen",
        timezone="Europe/Berlin",
        workspace="Acme",
        day="10 Mar 2026",
        issues=issues,
        people={"ann": "Ann Lee", "bob": "Bob Stone"},
        reason=Reason.ROLLUP,
        inbox_url=f"{HOST}/acme/inbox/",
        preferences_url=f"{HOST}/acme/settings/account/notifications/",
        unsubscribe_url=f"{HOST}/unsubscribe/x/",
    )
    return replace(view, **fields)


def in_bulk(item: Item, bulk_id: str = "b1") -> Item:
    return replace(item, origin=replace(item.origin, bulk_id=bulk_id))


DONE = in_bulk(value("state", "Todo", "Done"))
MIXED = compose_rollup(
    rollup(
        issue(1, note("<p>please look</p>", mention=True), DONE, project="R&D"),
        *(issue(number, DONE) for number in range(2, 9)),
        issue(9, elements("labels", ("ui",), ("bug",)), note("<p>" + "word " * 900 + "</p>")),
    )
)


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_issues_stand_apart_in_the_text_and_the_link_says_what_it_stops() -> None:
    assert MIXED.text.count("=" * 76) == 2
    assert f"\n\n{'=' * 76}\nWEB-9: Title 9\n" in MIXED.text
    assert f"Unsubscribe from Acme: {HOST}/unsubscribe/x/" in MIXED.text
    assert "Unsubscribe from Acme" in Rendered(MIXED.html).text


def test_both_parts_tell_the_act_in_one_line_and_the_rest_issue_by_issue() -> None:
    html, text = Rendered(MIXED.html).text, squeezed(MIXED.text)
    for words in (
        "Ann Lee changed the state of 8 issues to Done",
        "WEB-1, WEB-2, WEB-3, WEB-4, WEB-5 and 3 more",
        "Ann Lee mentioned you in a comment",
        "please look",
        "R&D / Todo",
        "added ui; removed bug",
        "You get this mail because you created these issues, work on them or follow them.",
    ):
        assert words in html
        assert words in text
    assert "WEB-6" not in text  # nothing but the act is told of it
    assert MIXED.subject == "[Acme] Updates, 10 Mar 2026"
    assert MIXED.preheader.startswith(
        "Ann Lee changed the state of 8 issues to Done; WEB-1 Ann Lee mentioned you"
    )


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (value("state", "Todo", "Done"), "Ann Lee changed the state of 2 issues to Done"),
        (value("target_date", "2026-01-10", None), "Ann Lee removed the due date of 2 issues"),
        (value("archived_at", None, "archived"), "Ann Lee archived 2 issues"),
        (value("archived_at", "archived", None), "Ann Lee restored 2 issues"),
        (elements("labels", ("bug",)), "Ann Lee added bug to 2 issues"),
        (elements("labels", (), ("bug", "ui")), "Ann Lee removed bug, ui from 2 issues"),
        (elements("labels", ("x",), ("y",)), "Ann Lee changed the labels of 2 issues: added x; removed y"),
        (DescriptionEdit(origin=by(), count=1), "Ann Lee edited the description of 2 issues"),
    ],
)
def test_an_act_in_words(item: Item, words: str) -> None:
    content = compose_rollup(rollup(issue(1, in_bulk(item)), issue(2, in_bulk(item))))
    assert f"* {words}\n  WEB-1, WEB-2\n" in content.text


@pytest.mark.parametrize(
    "other",
    [
        value("state", "Todo", "Done"),  # by itself
        in_bulk(value("state", "Todo", "Done"), "b2"),  # another act
        in_bulk(value("state", "Todo", "Doing")),  # that left it elsewhere
        in_bulk(value("state", "Todo", "Done", by("bob"))),  # by somebody else
        in_bulk(note("<p>same</p>")),  # texts are told as they are
    ],
)
def test_what_is_not_the_same_is_not_folded(other: Item) -> None:
    text = compose_rollup(rollup(issue(1, DONE), issue(2, other))).text
    assert " 2 issues" not in text
    assert "WEB-1: Title 1" in text
    assert "WEB-2: Title 2" in text


def test_what_is_too_much_is_counted() -> None:
    items = [value("state", "Todo", "Done") for _ in range(MAX_ITEMS + 2)]
    content = compose_rollup(rollup(*(issue(number, *items) for number in range(45))))
    assert len(content.html.encode()) <= MAX_HTML
    told = content.text.count("And 2 more updates: ")
    assert 0 < told <= MAX_ISSUES
    assert f"And {45 - told} more issues: {HOST}/acme/inbox/" in content.text
    assert f"And {45 - told} more issues in your inbox." in Rendered(content.html).text
    few = compose_rollup(rollup(*(issue(number, items[0]) for number in range(45))))
    assert "And 25 more issues: " in few.text


def test_an_issue_counts_as_told_only_if_all_of_it_is() -> None:
    folded = [issue(number, DONE) for number in range(30)]
    assert "more issue" not in compose_rollup(rollup(*folded)).text
    others = [issue(number, DONE, value("priority", "low", "high")) for number in range(30)]
    content = compose_rollup(rollup(*others))
    assert "And 10 more issues: " in content.text
    assert "And 10 more issues in your inbox." in Rendered(content.html).text


def test_acts_on_many_issues_that_are_too_many_are_told_issue_by_issue_or_counted() -> None:
    acts = [in_bulk(value("state", "Todo", "Done"), f"b{act}") for act in range(MAX_ISSUES + 15)]
    issues = [issue(number, acts[number // 2]) for number in range(2 * len(acts))]
    text = compose_rollup(rollup(*issues)).text
    assert text.count("of 2 issues to Done") == MAX_ISSUES
    assert text.count(f"{'=' * 76}\nWEB-") == MAX_ISSUES
    assert "And 10 more issues: " in text


def test_what_is_dropped_because_the_mail_is_too_long_is_counted_although_an_act_names_its_issue() -> None:
    long = note("<p>" + "<b>word</b> " * 700 + "</p>")
    text = compose_rollup(rollup(*(issue(number, DONE, long) for number in range(MAX_ISSUES)))).text
    told = text.count(f"{'=' * 76}\nWEB-")
    assert 0 < told < MAX_ISSUES
    assert f"And {MAX_ISSUES - told} more issues: " in text


def test_names_are_text_and_one_line() -> None:
    content = compose_rollup(
        rollup(issue(1, DONE, title="<b>\r\nBcc: x"), issue(2, DONE), workspace="A\u2028<i>cme")
    )
    assert Rendered(content.html).text.startswith("A <i>cme: updates")
    assert "<b>" not in content.html
    assert "A <i>cme: updates" in content.text


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_read(dark: bool) -> None:
    page = Rendered(MIXED.html, dark=dark)
    worst = min(page.texts, key=lambda text: contrast(text.color, text.background))
    assert contrast(worst.color, worst.background) >= 4.5, worst


def test_a_screen_reader_finds_its_way() -> None:
    page = Rendered(MIXED.html)
    assert [e.tag for e in page.elements if e.tag in {"h1", "h2", "h3"}] == [
        "h1",
        "h2",
        "h2",
        "h3",
        "h2",
        "h3",
        "h3",
    ]
    links = [element.attrs["href"] for element in page.elements if element.tag == "a"]
    assert all(link.startswith(f"{HOST}/") for link in links)
