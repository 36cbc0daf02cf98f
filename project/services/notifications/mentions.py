"""Finds the people whom a text mentions.

A mention is the element ``<mention-component entity_identifier="<uuid>" entity_name="user_mention">``, as
Plane's editor writes it.
"""

import re
from collections.abc import Iterator
from html import unescape
from uuid import UUID

# No pattern reads on past a "<", and none gives back what it has read, so any text takes linear time. (The
# standard library's HTML parser takes half a minute for 60 KB of unclosed tags, measured with Python 3.11.)
_ELEMENT = re.compile(r"<mention-component(?=[\s/>])([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def mentioned_ids(html: str) -> list[UUID]:
    """Return the ids of the mentioned users, each once, in the order of the text.

    An element that is malformed, or that names something else than a user by a UUID, is passed over. Whether
    such a user exists is not looked at.
    """
    return list(dict.fromkeys(_found(html)))


def _found(html: str) -> Iterator[UUID]:
    for element in _ELEMENT.finditer(html):
        values = {name.lower(): unescape(a or b) for name, a, b in _ATTRIBUTE.findall(element[1])}
        identifier = values.get("entity_identifier", "")
        if values.get("entity_name") == "user_mention" and _UUID.fullmatch(identifier):
            yield UUID(identifier)
