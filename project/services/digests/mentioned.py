"""Mention elements in stored HTML: who is mentioned, and what a mention reads like."""

import re
from collections.abc import Mapping
from html import escape, unescape

ELEMENT = "mention-component"
ATTRIBUTES = {"entity_identifier", "entity_name"}

# No pattern reads on past a "<", and none gives back what it has read, so any text takes linear time.
_START = re.compile(rf"<{ELEMENT}(?=[\s/>])([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w-])([\w-]++)\s*+=\s*+(?:"([^"]*)"|'([^']*)')""")


def mentioned_ids(html: str) -> frozenset[str]:
    """Ids of the users whom a text mentions, in lower case."""
    found = (_user_id(start[1]) for start in _START.finditer(html))
    return frozenset(user_id for user_id in found if user_id)


def with_names(html: str, people: Mapping[str, str]) -> str:
    """Put "@name", escaped, before what each mention element contains; who is not in `people` is "@someone".

    The elements themselves stay, for the sanitiser to drop.
    """

    def named(start: re.Match[str]) -> str:
        user_id = _user_id(start[1])
        name = escape(people.get(user_id, "someone"))
        return f"{start[0]}<strong>@{name}</strong>" if user_id else start[0]

    return _START.sub(named, html)


def _user_id(attributes: str) -> str:
    """The user of one mention element; empty if it names no user."""
    values = {name.lower(): unescape(a or b) for name, a, b in _ATTRIBUTE.findall(attributes)}
    return values.get("entity_identifier", "").lower() if values.get("entity_name") == "user_mention" else ""
