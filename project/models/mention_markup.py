"""Mentions in stored HTML: ``<mention-component entity_identifier="<uuid>" entity_name="user_mention">``.

This is how Plane's editor writes them into descriptions and comments. Both halves of the product read them:
who is told, and what the mail says.
"""

import re
from collections.abc import Iterator, Mapping
from html import escape, unescape
from uuid import UUID

ELEMENT = "mention-component"
ATTRIBUTES = {"entity_identifier", "entity_name"}

# No pattern reads on past a "<", and none gives back what it has read, so any text takes linear time. (The
# standard library's HTML parser takes half a minute for 60 KB of unclosed tags, measured with Python 3.11.)
_START = re.compile(rf"<{ELEMENT}(?=[\s/>])([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def mentioned(html: str) -> list[str]:
    """Return what the mention elements name as users, each once, in lower case, in the order of the text."""
    return list(dict.fromkeys(_identifiers(html)))


def mentioned_ids(html: str) -> list[UUID]:
    """Return the ids of the mentioned users, each once, in the order of the text.

    An element that is malformed, or that names something else than a user by a UUID, is passed over. Whether
    such a user exists is not looked at.
    """
    return [UUID(identifier) for identifier in mentioned(html) if _UUID.fullmatch(identifier)]


def with_names(html: str, people: Mapping[str, str]) -> str:
    """Put "@name", escaped, before what each mention element contains; who is not in `people` is "@someone".

    The elements themselves stay, for the sanitiser to drop.
    """

    def named(start: re.Match[str]) -> str:
        identifier = _identifier(start[1])
        name = escape(people.get(identifier, "someone"))
        return f"{start[0]}<strong>@{name}</strong>" if identifier else start[0]

    return _START.sub(named, html)


def _identifiers(html: str) -> Iterator[str]:
    for start in _START.finditer(html):
        if identifier := _identifier(start[1]):
            yield identifier


def _identifier(attributes: str) -> str:
    """The user of one mention element; empty if it names no user."""
    values = {name.lower(): unescape(a or b) for name, a, b in _ATTRIBUTE.findall(attributes)}
    return values.get("entity_identifier", "").lower() if values.get("entity_name") == "user_mention" else ""
