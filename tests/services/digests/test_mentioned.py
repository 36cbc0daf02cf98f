"""Who is mentioned in a text."""

import time

import pytest

from project.services.digests.mentioned import mentioned_ids


def element(attributes: str) -> str:
    return f"<mention-component {attributes}></mention-component>"


@pytest.mark.parametrize(
    ("html", "ids"),
    [
        (element('entity_identifier="a" entity_name="user_mention"'), {"a"}),
        (element("entity_name='user_mention' id=\"1\" entity_identifier='A'"), {"a"}),
        ((element('entity_identifier="a" entity_name="user_mention"') + " x ") * 2, {"a"}),
        (element('entity_identifier="a" entity_name="issue_mention"'), set()),
        (element('entity_identifier="" entity_name="user_mention"'), set()),
        ('<mention-component-x entity_identifier="a" entity_name="user_mention">', set()),
        ('&lt;mention-component entity_identifier="a" entity_name="user_mention"&gt;', set()),
        ('<p entity_identifier="a" entity_name="user_mention">@a</p>', set()),
    ],
)
def test_mentioned_ids(html: str, ids: set[str]) -> None:
    assert mentioned_ids(html) == ids


@pytest.mark.parametrize("piece", ["<mention-component ", "<mention-component a", "a", " ", "a="])
def test_any_text_takes_linear_time(piece: str) -> None:
    text = "<mention-component " + piece * (300_000 // len(piece)) + ">"
    began = time.process_time()
    assert mentioned_ids(text) == set()
    assert time.process_time() - began < 2
