"""Comment HTML for mail: what somebody wrote, made harmless and short, as HTML and as text.

What was stored is not trusted. The allow-list is smaller than any editor's, and without images, which are told
in words.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

import nh3
from django.utils.html import linebreaks, strip_tags
from django.utils.text import Truncator

from project.models.mention_markup import ATTRIBUTES, ELEMENT, with_names
from project.services.digests.header_text import well_formed
from project.services.digests.image_words import IMAGES, with_image_words
from project.services.digests.links import allowed_href, with_real_hosts
from project.services.digests.plaintext import plain_text

MAX_COMMENT = 2_000  # characters to read
MAX_MARKUP = 12_000  # characters of HTML around them; a comment with more is shown as text
MAX_SOURCE = (
    30_000  # characters that are parsed at all: nested elements take time in the square of their depth
)

_TAGS = frozenset({
    "p", "br", "div", "strong", "b", "em", "i", "u", "s", "del", "code", "pre", "blockquote",
    "ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td",
})  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_DROPPED = frozenset({
    "script", "style", "title", "template", "noscript", "svg", "math", "iframe", "object",
    "textarea", "select",
})  # fmt: skip


@dataclass(frozen=True)
class Body:
    """A comment that is safe to show: the same content twice. `shortened`: not all of it. May be empty."""

    html: str
    text: str
    shortened: bool


def comment_body(html: str, people: Mapping[str, str]) -> Body:
    """Make stored HTML fit for a mail.

    Args:
        html: Any text.
        people: User id (lower case) → name, for mentions.
    """
    source = well_formed(html)
    known = with_names(with_image_words(_KNOWN.clean(source[:MAX_SOURCE])), people)
    safe = _SAFE.clean(_without_headings(known))
    shortened = len(source) > MAX_SOURCE or len(unescape(strip_tags(safe))) > MAX_COMMENT
    if shortened:
        safe = _SAFE.clean(Truncator(safe).chars(MAX_COMMENT, truncate="…", html=True))
    text = plain_text(safe)
    if len(safe) > MAX_MARKUP:
        text = text[: 2 * MAX_COMMENT]
        return Body(linebreaks(text, autoescape=True), text, shortened=True)
    return Body(with_real_hosts(safe) if text else "", text, shortened)


def _attribute(tag: str, name: str, value: str) -> str | None:
    return allowed_href(value) if (tag, name) == ("a", "href") else value


def _without_headings(html: str) -> str:
    """Turn headings into bold paragraphs: the only headings of a mail are its own."""
    opened = re.sub("<h[1-6]>", "<p><strong>", html)
    return re.sub("</h[1-6]>", "</strong></p>", opened)


def _cleaner(tags: frozenset[str], attributes: Mapping[str, set[str]]) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(tags),
        clean_content_tags=set(_DROPPED),
        attributes={"*": set(), **attributes},  # without "*", title and lang would be allowed everywhere
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
    )


#: What is understood, and what may remain.
_KNOWN = _cleaner(
    _TAGS | _HEADINGS | set(IMAGES) | {ELEMENT},
    {"a": {"href"}, ELEMENT: set(ATTRIBUTES), **IMAGES},
)
_SAFE = _cleaner(_TAGS, {"a": {"href"}})
