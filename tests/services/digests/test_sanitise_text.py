"""The text form of a comment."""

import pytest

from project.services.digests.plaintext import plain_text

CASES = {
    "paragraphs": ("<p>a &amp; b</p><p>c</p>", "a & b\n\nc"),
    "blanks": ("<p>\n  a\n  <strong>b</strong>  c </p>", "a b c"),
    "lines": ("<p>a<br>b<br><br>c</p>", "a\nb\n\nc"),
    "list": ("<p>a</p><ul><li><p>b</p></li><li>c</li></ul><p>d</p>", "a\n\n- b\n- c\n\nd"),
    "numbers": ("<ol><li>a</li><li>b</li></ol>", "1. a\n2. b"),
    "list in a list": ("<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>", "- a\n  1. b\n- c"),
    "second paragraph of an item": ("<ul><li><p>a</p><p>b</p></li></ul>", "- a\n  b"),
    "quote": ("<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>", "> a\n\n> > b"),
    "code": ("<pre><code>a  = 1\n  b\n\nc</code></pre>", "a  = 1\n  b\n\nc"),
    "table": (
        "<table><tbody><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></tbody></table>",
        "a | b\n1 | 2",
    ),
    "link": ('<p>see <a href="https://x.example">here</a>.</p>', "see here (https://x.example)."),
    "link that is its text": ('<a href="https://x.example">https://x.example</a>', "https://x.example"),
    "mail link": ('<a href="mailto:a@x.example">a@x.example</a>', "a@x.example"),
    "link to nowhere": ("<a>a</a>", "a"),
    "item without a list": ("<li>a</li>", "a"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("html", "text"), CASES.values(), ids=CASES)
def test_text(html: str, text: str) -> None:
    assert plain_text(html) == text


def test_signs_of_deep_nesting_stay_short() -> None:
    deep = "<blockquote>" * 100 + "a" + "</blockquote>" * 100
    assert plain_text(deep) == "> > > > > a"
