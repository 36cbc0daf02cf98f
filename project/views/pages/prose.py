"""What people wrote, as HTML that is safe to show on a page: all of it, while mails show a part."""

import re
from collections.abc import Mapping

import nh3
from django.utils.html import linebreaks
from django.utils.safestring import SafeString, mark_safe

from project.models.mention_markup import ATTRIBUTES, ELEMENT, with_names
from project.services.digests.header_text import well_formed
from project.services.digests.image_words import IMAGES, with_image_words
from project.services.digests.links import allowed_href, with_real_hosts
from project.services.notifications.plain_text import plain_text

# What exceeds one of these is shown as text alone: parsing takes time in the square of the depth, and an
# author must not be able to keep the page from its readers.
MAX_MARKUP = 100_000  # characters
MAX_DEPTH = 100  # elements within each other

_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)", re.IGNORECASE)
_VOID = {"br", "hr", "img", "input", "wbr", "col", "source", "area", "embed", "link", "meta"}

_TAGS = {
    "p", "br", "hr", "div", "strong", "b", "em", "i", "u", "s", "del", "code", "pre", "blockquote",
    "h3", "h4", "h5", "h6", "ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td",
}  # fmt: skip
_DROPPED = {"script", "style", "title", "template", "noscript", "svg", "math", "iframe", "object", "textarea"}


def prose(html: str, people: Mapping[str, str]) -> SafeString:
    """Return stored HTML made harmless; images are told in words.

    Args:
        html: Any text.
        people: User id (lower case) → name, for mentions.
    """
    source = well_formed(html)
    if len(source) > MAX_MARKUP or _is_deep(source):
        return mark_safe(linebreaks(plain_text(source), autoescape=True))  # noqa: S308 (escaped right here)
    named = with_names(with_image_words(_KNOWN.clean(source)), people)
    return mark_safe(with_real_hosts(_SAFE.clean(named)))  # noqa: S308 (that is what sanitising is for)


def _is_deep(html: str) -> bool:
    """Whether elements are open within each other beyond MAX_DEPTH; one that is closed out of turn stays open."""
    opened: list[str] = []
    for tag in _TAG.finditer(html):
        name = tag[2].lower()
        if tag[1]:
            if opened and opened[-1] == name:
                opened.pop()
        elif name not in _VOID:
            opened.append(name)
            if len(opened) > MAX_DEPTH:
                return True
    return False


def _attribute(tag: str, name: str, value: str) -> str | None:
    return allowed_href(value) if (tag, name) == ("a", "href") else value


def _cleaner(tags: set[str], attributes: dict[str, set[str]]) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=tags,
        clean_content_tags=_DROPPED,
        attributes={"*": set(), **attributes},  # without "*", title and lang would be allowed everywhere
        attribute_filter=_attribute,
        url_schemes={"http", "https", "mailto"},
        url_relative="deny",
        link_rel="noopener noreferrer nofollow",
    )


_KNOWN = _cleaner(
    _TAGS | set(IMAGES) | {ELEMENT},
    {"a": {"href"}, ELEMENT: set(ATTRIBUTES), **IMAGES},
)
_SAFE = _cleaner(_TAGS, {"a": {"href"}})
