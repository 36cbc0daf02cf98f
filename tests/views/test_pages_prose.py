"""What people wrote, on a page: whole, harmless, and never slow."""

from time import perf_counter

import pytest

from project.views.pages.prose import MAX_DEPTH, MAX_MARKUP, prose

ANN = "11111111-2222-4333-8444-555555555555"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A</h1><h3>B</h3><p>C<br>D</p>", "A<h3>B</h3><p>C<br>D</p>"),
        ("<p onclick=x style='color:red' class=c>hi</p>", "<p>hi</p>"),
        ("<script>x</script><style>x</style><svg><a>x</a></svg><img src=x alt=y onerror=z>", "[image: y]"),
        ('<a href="javascript:x">a</a><a href="/x">b</a><a href="//evil.example">c</a>', 3),
        ("<table><tr><td>1</td></tr></table>", "<table><tbody><tr><td>1</td></tr></tbody></table>"),
        ("lone \ud800 half", "lone \ufffd half"),
    ],
)
def test_only_harmless_markup_is_left(html: str, expected: str | int) -> None:
    shown = prose(html, {})
    if isinstance(expected, int):
        assert (shown.count("<a"), shown.count("href")) == (expected, 0)
    else:
        assert shown == expected


def test_links_lead_where_they_say() -> None:
    shown = prose('<a href="https://evil.example/">https://bank.example</a>', {})
    assert 'rel="noopener noreferrer nofollow"' in shown
    assert "(leads to evil.example)" in shown


@pytest.mark.parametrize(("who", "name"), [(ANN, "@&lt;Ann&gt;"), (ANN.replace("1", "2"), "@someone")])
def test_mentions_are_named(who: str, name: str) -> None:
    html = (
        f'<p><mention-component entity_identifier="{who}" entity_name="user_mention"></mention-component></p>'
    )
    assert prose(html, {ANN: "<Ann>"}) == f"<p><strong>{name}</strong></p>"


def test_long_texts_are_shown_whole() -> None:
    paragraphs = "<p>word</p>" * (MAX_MARKUP // 11)
    assert prose(paragraphs, {}).count("<p>word</p>") == MAX_MARKUP // 11
    longer = prose(f"{paragraphs}<p>the <b>end</b> &lt;b&gt;</p>", {})
    assert (longer.count("word"), longer.endswith("the end &lt;b&gt;</p>")) == (MAX_MARKUP // 11, True)


def test_nesting_up_to_the_limit_keeps_its_markup() -> None:
    assert prose("<div>" * MAX_DEPTH + "x" + "</div>" * MAX_DEPTH, {}).count("<div>") == MAX_DEPTH
    assert prose("<div>" * (MAX_DEPTH + 1) + "<b>x</b>", {}) == "<p>x</p>"


@pytest.mark.parametrize(
    "unit",
    [
        "<div>",
        "<ul><li>",
        "<div><table></div></table>",
        "<div><select></div></select>",
        "<b><p></b></p>",
        "<",
    ],
)
def test_no_text_keeps_the_page_from_its_readers(unit: str) -> None:
    """Unbounded, the first of these takes five seconds."""
    start = perf_counter()
    prose((unit * MAX_MARKUP)[:MAX_MARKUP], {})
    assert perf_counter() - start < 2
