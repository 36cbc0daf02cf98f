"""Comments in mail: nothing active, nothing that lies, nothing too long; and the same in HTML and text."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from project.services.digests.sanitise import MAX_COMMENT, MAX_MARKUP, MAX_SOURCE, comment_body

ANN = "5f0c1c1e-3d1b-4b8e-9c52-5f2a4f3f7d10"
PEOPLE = {ANN: 'Ann <a href="https://evil.example">Lee</a>'}
REL = 'rel="noopener noreferrer nofollow"'


def mention(user_id: str, name: str = "user_mention") -> str:
    return f'<mention-component entity_identifier="{user_id}" entity_name="{name}"></mention-component>'


CASES = {
    "plain": ("<p>a <strong>b</strong></p>", "<p>a <strong>b</strong></p>"),
    "script": ("<p>a<script>alert(1)</script></p>", "<p>a</p>"),
    "script in pieces": ("<scr<script>ipt>alert(1)</script>b", "ipt&gt;alert(1)b"),
    "event handler": ('<p onclick="x()" onmouseover=y()>a</p>', "<p>a</p>"),
    "image": ("<img src=https://evil.example/pixel onerror=x()>a", "[image]a"),
    "image with words": ("<p><img alt='a  plan\n&amp; more' src=x></p>", "<p>[image: a plan &amp; more]</p>"),
    "image of the editor": (
        "<p>a</p><image-component alt='b' src=x></image-component>",
        "<p>a</p>[image: b]",
    ),
    "image with markup": (
        """<img alt='"><script>x()</script><a href="https://x.example">'>""",
        '[image: "&gt;&lt;script&gt;x()&lt;/script&gt;&lt;a href="https://x.example"&gt;]',
    ),
    "picture and video": ("<picture><source srcset=//evil></picture><video src=//evil></video>a", "a"),
    "svg": ("<svg onload=x()><a xlink:href='javascript:x()'><text>t</text></a></svg>a", "a"),
    "math": ("<math><mi xlink:href='javascript:x()'>t</mi></math>a", "a"),
    "style element": ("<style>p{background:url(//evil)}</style><p>a</p>", "<p>a</p>"),
    "style, class, id": ('<p style="position:fixed" class="card" id="x">a</p>', "<p>a</p>"),
    "form": ("<form action=//evil><input name=p><button>go</button></form>", "go"),
    "frames": ("<iframe src=//evil>a</iframe><object data=//evil>b</object><embed src=//evil>c", "c"),
    "base and meta": (
        '<base href=//evil><meta http-equiv=refresh content="0;url=//evil"><p>a</p>',
        "<p>a</p>",
    ),
    "comment": ("<!-- a --><p>b</p>", "<p>b</p>"),
    "conditional comment": ("<!--[if mso]><p>a</p><![endif]--><p>b</p>", "<p>b</p>"),
    "out of the table": ("</td></tr></table></body></html><p>a", "<p>a</p>"),
    "out of the attribute": ('<p title="</p><script>x()</script>">a</p>', "<p>a</p>"),
    "headings": ("<h1>A</h1><h3>B</h3>", "<p><strong>A</strong></p><p><strong>B</strong></p>"),
    "web link": (
        '<a href="https://x.example/?a=1&b=2">a</a>',
        f'<a href="https://x.example/?a=1&amp;b=2" {REL}>a</a>',
    ),
    "javascript:": ('<a href="javascript:x()">a</a>', f"<a {REL}>a</a>"),
    "javascript: disguised": ('<a href=" java\tscript&colon;x()">a</a>', f"<a {REL}>a</a>"),
    "data:": ('<a href="data:text/html,x">a</a>', f"<a {REL}>a</a>"),
    "other scheme": ('<a href="ftp://x.example">a</a>', f"<a {REL}>a</a>"),
    "relative to the scheme": ('<a href="//evil.example">a</a>', f"<a {REL}>a</a>"),
    "relative": ('<a href="/settings/leave">a</a>', f"<a {REL}>a</a>"),
    "user name as host": ('<a href="https://bank.example@evil.example">a</a>', f"<a {REL}>a</a>"),
    "backslash": ('<a href="https://evil.example\\@bank.example">a</a>', f"<a {REL}>a</a>"),
    "mailto with a copy": (
        '<a href="mailto:a@x.example?bcc=e@evil.example">a</a>',
        f'<a href="mailto:a@x.example" {REL}>a</a>',
    ),
    "mailto with a header": ('<a href="mailto:a@x.example%0ABcc:e@evil.example">a</a>', f"<a {REL}>a</a>"),
    "mailto to two": ('<a href="mailto:a@x.example,e@evil.example">a</a>', f"<a {REL}>a</a>"),
    "mention": (
        f"<p>{mention(ANN)}!</p>",
        '<p><strong>@Ann &lt;a href="https://evil.example"&gt;Lee&lt;/a&gt;</strong>!</p>',
    ),
    "mention in capitals": (
        mention(ANN.upper()),
        '<strong>@Ann &lt;a href="https://evil.example"&gt;Lee&lt;/a&gt;</strong>',
    ),
    "mention of nobody": (f"<p>{mention('who')}</p>", "<p><strong>@someone</strong></p>"),
    "mention of a thing": (mention(ANN, "issue_mention") + "a", "a"),
    "mention without a name": ("<mention-component>a</mention-component>", "a"),
    "half an emoji": ("<p>\ud83d!</p>", "<p>\ufffd!</p>"),
    "nothing": ("<p></p>", ""),
}


@pytest.mark.parametrize(("source", "safe"), CASES.values(), ids=CASES)
def test_what_remains(source: str, safe: str) -> None:
    assert comment_body(source, PEOPLE).html == safe


@pytest.mark.parametrize(
    ("text", "href", "remark"),
    [
        ("https://bank.example", "https://evil.example/x", " (leads to evil.example)"),
        ("Log in at <b>bank.example</b> now", "https://evil.example", " (leads to evil.example)"),
        ("HTTPS://10.0.0.1/", "https://evil.example", " (leads to evil.example)"),
        ("https://bank.example", "https://b\u0430nk.example", " (leads to xn--bnk-6cd.example)"),
        ("https://bank.example/a", "https://www.bank.example/b", ""),
        ("Bank.example", "http://bank.example:8080", ""),
        ("here", "https://bank.example", ""),
    ],
)
def test_a_link_that_promises_another_host_shows_the_real_one(text: str, href: str, remark: str) -> None:
    body = comment_body(f'<p><a href="{href}">{text}</a></p>', {})
    assert body.html.removesuffix("</p>").partition("</a>")[2] == remark
    assert href in body.text


def test_text_and_html_of_a_mention_agree() -> None:
    body = comment_body(f"<p>ask {mention(ANN)}</p>", {ANN: "R&D"})
    assert (body.html, body.text) == ("<p>ask <strong>@R&amp;D</strong></p>", "ask @R&D")


def test_a_long_comment_is_cut_in_its_text_and_not_in_its_markup() -> None:
    body = comment_body(f"<blockquote><p>{'word &amp; ' * 400}</p></blockquote>", {})
    assert body.shortened
    assert len(body.text) <= MAX_COMMENT + len("> …")
    assert body.html.endswith("…</p></blockquote>")
    assert "&amp;" in body.html


def test_a_comment_of_the_greatest_length_is_whole() -> None:
    body = comment_body(f"<p>{'&amp;' * MAX_COMMENT}</p>", {})
    assert (body.text, body.shortened) == ("&" * MAX_COMMENT, False)


def test_too_much_markup_becomes_text() -> None:
    link = f'<a href="https://x.example/{"y" * 3000}">a</a>'
    body = comment_body(link * 5, {})
    assert body.shortened
    assert len(body.html) < MAX_MARKUP
    assert "<a" not in body.html
    assert "https://x.example/yyy" in body.html


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "tag", ["<div>", "<blockquote>", "<ul><li>", "<table>", "<b>", "<!--", "<a href=x>", "&"]
)
def test_an_endless_comment_ends(tag: str) -> None:
    body = comment_body(tag * (MAX_SOURCE // len(tag)) + "end" * MAX_SOURCE, {})
    assert body.shortened
    assert len(body.html) <= 2 * MAX_MARKUP


class _Strict(HTMLParser):
    """Fails on whatever must not be in a mail, as a browser would read it."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED.split()
        assert {name for name, _ in attrs} <= ({"href", "rel"} if tag == "a" else set())
        href = dict(attrs).get("href")
        assert href is None or href.lower().startswith(("https://", "http://", "mailto:"))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


ALLOWED = "p br div strong b em i u s del code pre blockquote ul ol li a table thead tbody tr th td"
SOUP = """
    <script> </script> <svg> </svg> <style> </style> <math> <mtext> <table> <td> </p> <p> <p/onclick=x()>
    <img/src/onerror=x()> <a/href="javascript:x()"> <a/href='https://x.example'> </a> <!-- --> --!> <![CDATA[
    ]]> <?php <noscript> </noscript> <template> <h1> </h1> <title> <textarea> <base/href=//evil> &#60;
    <mention-component/entity_name="user_mention"/entity_identifier="a"> </mention-component> &lt;b&gt; &amp;
    " ' > < = text <p/title=t> <iframe/srcdoc="<script>x()</script>"> <form> <input> <p/style=x:y> <plaintext> <xmp>
"""


@settings(deadline=None)
@given(st.lists(st.sampled_from([*SOUP.split(), "\x00"]), max_size=30), st.sampled_from(["", " "]))
def test_no_soup_leaves_anything_active(pieces: list[str], between: str) -> None:
    body = comment_body(between.join(pieces), {"a": "<script>x()</script>"})
    strict = _Strict()
    strict.feed(body.html)
    strict.close()
