import time

import pytest

from project.services.notifications.plain_text import plain_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("<p></p>", ""),
        ("<p>Hello <b>World</b></p>", "Hello World"),
        ("<p>one</p><p>two<br/>three</p><ul><li>four</li><li>five</li></ul>", "one\ntwo\nthree\nfour\nfive"),
        ("<p>a &lt; b &amp;&nbsp;c</p>", "a < b & c"),
        ("<p>1 < 2 and 3 > 2</p>", "1 < 2 and 3 > 2"),
        ("  spaced \n\n  out ", "spaced\nout"),
        ("<p title='x'>half <b", "half <b"),
    ],
)
def test_the_text_of_html(html: str, text: str) -> None:
    assert plain_text(html) == text


@pytest.mark.parametrize("piece", ["<a ", "<!--", "</p", "<", "&#", "&amp", " "])
def test_time_grows_with_the_length_only(piece: str) -> None:
    start = time.process_time()
    plain_text(piece * 200_000)
    assert time.process_time() - start < 2
