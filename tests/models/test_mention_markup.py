import time
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.models.mention_markup import mentioned, mentioned_ids

ANN = UUID("0a3f5c6e-1f0e-4c3a-9d27-3f6f3f0f9a11")
BOB = UUID("7d1b7f3c-52c0-4b7e-8a3a-b6e1f0d9c522")


def element(identifier: object, name: str = "user_mention") -> str:
    return f'<mention-component entity_identifier="{identifier}" entity_name="{name}"></mention-component>'


def test_each_person_once_in_the_order_of_the_text() -> None:
    html = f"<p>{element(BOB)} and {element(ANN)}</p><p>again {element(BOB)}</p>"
    assert mentioned_ids(html) == [BOB, ANN]


@pytest.mark.parametrize(
    "html",
    [
        f"<mention-component entity_name='user_mention' entity_identifier='{ANN}'/>",
        f'<Mention-Component\n id="x"\n ENTITY_NAME = "user_mention"\n entity_identifier = "{ANN}" >',
        f'<mention-component entity_identifier="{str(ANN).upper()}" entity_name="user_mention">',
        f'<mention-component entity_identifier="&#48;{str(ANN)[1:]}" entity_name="user_mention">',
        f'<p <b><mention-component entity_identifier="{ANN}" entity_name="user_mention"></b',
    ],
)
def test_spellings_that_html_allows(html: str) -> None:
    assert mentioned_ids(html) == [ANN]


@pytest.mark.parametrize(
    "bad",
    [
        element("not-a-uuid"),
        element(""),
        element(str(ANN)[:-1]),
        element(f"{{{ANN}}}"),
        element(ANN.hex),
        element("0a3f5c6e-1f0e-4c3a-9d27-3f6f3f0f9a1١"),
        element(ANN, "issue_mention"),
        f'<mention-component entity_identifier="{ANN}">',
        '<mention-component entity_name="user_mention">',
        f'<mention-component-x entity_identifier="{ANN}" entity_name="user_mention">',
        f"<mention-component entity_identifier={ANN} entity_name=user_mention>",
        "<mention-component entity_identifier entity_name>",
        "<mention-component>",
        "@ann",
    ],
)
def test_a_bad_element_costs_only_itself(bad: str) -> None:
    assert mentioned_ids(bad + element(BOB)) == [BOB]


@given(st.text(alphabet="<>=\"'/ &;aemntion-compu_sr0", max_size=300))
def test_no_text_is_too_strange(text: str) -> None:
    assert mentioned_ids(f"{text}</p>{element(ANN)}")[-1:] == [ANN]


@pytest.mark.parametrize(
    "piece",
    [
        "<a ",
        "<!--",
        '<mention-component a="',
        "<mention-component ",
        "<mention-component>",
        "&#",
        "a",
        "=",
        " ",
    ],
)
def test_time_grows_with_the_length_only(piece: str) -> None:
    start = time.process_time()
    mentioned_ids(f"<mention-component {piece * 100_000}>")
    assert time.process_time() - start < 2


def test_what_names_no_uuid_is_still_named_as_it_stands() -> None:
    assert mentioned(element("Someone") + element("someone") + element(ANN, "issue_mention")) == ["someone"]
