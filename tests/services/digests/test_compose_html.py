"""The HTML part as a client and a screen reader get it."""

import pytest

from project.services.digests.avatar import COLOURS
from project.services.digests.compose import compose
from tests.services.digests.rendered import Rendered, contrast
from tests.services.digests.views import elements, note, value, view

RICH = '<p>a <a href="https://x.example">link</a></p><blockquote>b</blockquote><pre><code>c</code></pre>'
HTML = compose(
    view(
        note(RICH + "<table><tr><td>d</td></tr></table>", mention=True),
        note("<p>" + "word " * 500 + "</p>"),
        elements("labels", ("ui",), ("bug",)),
        *(value("state", "Todo", "Done") for _ in range(30)),
    )
).html


@pytest.fixture(params=[False, True], ids=["light", "dark"])
def page(request: pytest.FixtureRequest) -> Rendered:
    return Rendered(HTML, dark=request.param)


def test_every_text_can_be_read(page: Rendered) -> None:
    worst = min(page.texts, key=lambda text: contrast(text.color, text.background))
    assert contrast(worst.color, worst.background) >= 4.5, worst
    assert {text.background for text in page.texts} >= ({"#1a1d23"} if page.dark else {"#ffffff"})


def test_initials_can_be_read_on_every_colour() -> None:
    assert min(contrast("#ffffff", colour) for colour in COLOURS) >= 4.5


def test_a_screen_reader_finds_its_way() -> None:
    page = Rendered(HTML)
    (root,) = [element for element in page.elements if element.tag == "html"]
    assert (root.attrs["lang"], root.attrs["dir"]) == ("en", "ltr")
    headings = [element.tag for element in page.elements if element.tag in {"h1", "h2", "h3"}]
    assert headings == ["h1", "h2", "h2", "h2"]
    layout = [
        element for element in page.elements if element.tag == "table" and "cellpadding" in element.attrs
    ]
    assert {element.attrs.get("role") for element in layout} == {"presentation"}


def test_nothing_is_fetched_and_every_link_is_absolute() -> None:
    page = Rendered(HTML)
    assert not {element.tag for element in page.elements} & {"img", "link", "script", "iframe", "video"}
    assert "url(" not in HTML
    links = [element.attrs["href"] for element in page.elements if element.tag == "a"]
    assert len(links) == 5
    assert all(link.startswith(("https://tracker.example.org/", "https://x.example")) for link in links)


def test_clients_are_told_of_both_colour_schemes() -> None:
    names = [element.attrs.get("name") for element in Rendered(HTML).elements if element.tag == "meta"]
    assert {"color-scheme", "supported-color-schemes", "viewport"} <= set(names)
