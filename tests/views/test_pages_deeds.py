"""What somebody did, in words."""

from typing import Any
from uuid import uuid4

import pytest

from project.services.digests.phrases import words_of
from project.views.pages.deeds import deed_of

ID = str(uuid4())


def said(**activity: Any) -> str:
    deed = deed_of({"verb": "updated", **activity})
    return f"{deed.did} {words_of(deed.phrase)}".strip()


@pytest.mark.parametrize(
    ("activity", "words"),
    [
        ({"verb": "created", "field": None}, "created the issue"),
        ({"verb": "deleted", "field": "issue"}, "deleted the issue"),
        ({"field": "description", "old_value": "a", "new_value": "b"}, "edited the description"),
        ({"verb": "created", "field": "comment", "new_value": "<p>x</p>", "new_identifier": ID}, "commented"),
        (
            {"field": "comment", "old_value": "<p>x</p>", "new_value": "<p>y</p>", "new_identifier": ID},
            "edited a comment",
        ),
        ({"verb": "deleted", "field": "comment", "new_identifier": ID}, "deleted a comment"),
        ({"field": "state", "old_value": "Todo", "new_value": "Done"}, "changed the state: Todo → Done"),
        ({"field": "name", "old_value": "A", "new_value": "B"}, "changed the title: A → B"),
        ({"field": "target_date", "new_value": "2026-05-04"}, "changed the due date: set to 4 May 2026"),
        (
            {"field": "target_date", "old_value": "2026-05-04"},
            "changed the due date: removed (was 4 May 2026)",
        ),
        (
            {"field": "assignees", "new_value": "Ann", "new_identifier": ID},
            "changed the assignees: added Ann",
        ),
        ({"field": "labels", "old_value": "ui", "old_identifier": ID}, "changed the labels: removed ui"),
        ({"field": "archived_at", "new_value": "archive"}, "archived the issue"),
        ({"field": "archived_at", "new_value": "restore"}, "restored the issue"),
        ({"verb": "created", "field": "link", "new_value": "https://a.org"}, "linked https://a.org"),
        (
            {"verb": "deleted", "field": "link", "old_value": "https://a.org"},
            "removed the link https://a.org",
        ),
        (
            {"field": "link", "old_value": "https://a.org", "new_value": "https://b.org"},
            "changed the links: added https://b.org; removed https://a.org",
        ),
        (
            {"verb": "created", "field": "attachment", "new_value": f"w/{'0a' * 16}-plan.pdf"},
            "attached plan.pdf",
        ),
        ({"verb": "deleted", "field": "attachment"}, "removed the attachment (unnamed)"),
        ({"field": "blocked_by", "new_value": "BOOK-12"}, "marked this as blocked by BOOK-12"),
        (
            {"verb": "deleted", "field": "blocking", "old_value": "BOOK-12"},
            "took back that this is blocking BOOK-12",
        ),
        (
            {"field": "sub_issues", "new_value": "BOOK-12", "new_identifier": ID},
            "added the sub-issue BOOK-12",
        ),
        (
            {"verb": "created", "field": "cycles", "new_value": "Sprint 4", "new_identifier": ID},
            "added this to the cycle Sprint 4",
        ),
        (
            {"verb": "deleted", "field": "modules", "old_value": "Doors", "old_identifier": ID},
            "removed this from the module Doors",
        ),
        (
            {"field": "archived_at", "new_value": "archive", "automatic": "automatically after 1 month"},
            "archived the issue automatically after 1 month",
        ),
        (
            {"field": "state", "old_value": "A", "new_value": "B", "automatic": "automatically"},
            "changed the state: A → B, automatically",
        ),
        ({"field": "priority"}, "changed the priority: changed in a way that this mail cannot show"),
        ({}, "changed the issue"),
        ({"field": 5, "new_value": {}}, "changed the 5: set to {}"),
    ],
)
def test_words(activity: dict[str, Any], words: str) -> None:
    assert said(**activity) == words
