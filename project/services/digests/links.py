"""Links in comments: only to where they can be seen to lead."""

import re
from html import escape, unescape

# Strict on purpose: a user name, a backslash or a blank in an address makes browsers and parsers disagree on
# its host, and a "?" in mailto: can add receivers.
_WEB = re.compile(r"https?://(?P<host>[\w.-]+)(?::\d+)?(?:[/?#][^\s\\]*)?", re.IGNORECASE)
_MAIL = re.compile(r"(mailto:[\w.+-]+@[\w.-]+)(?:\?.*)?", re.IGNORECASE | re.DOTALL)

_LINK = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
# What makes a link text promise a host: an address, or a name like "example.org".
_PROMISE = re.compile(r"https?://([\w.-]+)|((?:[\w-]+\.)+[a-z]{2,})", re.IGNORECASE)


def allowed_href(href: str) -> str | None:
    """Return the address a link may have, which may be a part of `href`; None if it may have none."""
    if mail := _MAIL.fullmatch(href):
        return mail[1]
    return href if _WEB.fullmatch(href) else None


def with_real_hosts(html: str) -> str:
    """Write the real host behind each link whose text promises another one.

    Only for what the sanitiser wrote, with `allowed_href`: its output has one way to write a link.
    """
    return _LINK.sub(_unmasked, html)


def _unmasked(link: re.Match[str]) -> str:
    text = unescape(_TAG.sub("", link[2]))
    promise = _PROMISE.search(text)
    web = _WEB.fullmatch(unescape(link[1]))
    if not promise or not web:
        return link[0]
    if _bare(promise[1] or promise[2]) == _bare(web["host"]):
        return link[0]
    return f"{link[0]} (leads to {escape(_ascii(web['host']))})"


def _bare(host: str) -> str:
    return host.lower().removeprefix("www.").rstrip(".")


def _ascii(host: str) -> str:
    """The host as the network knows it: letters that look alike become different."""
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host
