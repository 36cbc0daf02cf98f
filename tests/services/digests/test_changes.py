"""Reading activities, with all the ways in which a value can be missing."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.services.digests.changes import Kind, read_activity
from project.services.digests.collapse import collapse
from project.services.digests.items import ValueChange
from tests.services.digests.story import brief

AT = "2026-01-10T12:44:00+00:00"


def activity(field: str | None, old: Any = None, new: Any = None, **fields: Any) -> dict[str, Any]:
    return {
        "id": "a1",
        "verb": "updated",
        "field": field,
        "actor": "None",
        "old_value": old,
        "new_value": new,
        "issue_comment": "",
        "old_identifier": None,
        "new_identifier": None,
        "activity_time": AT,
        **fields,
    }


def told(*activities: dict[str, Any], comments: dict[str, str] | None = None) -> list[str]:
    changes = [read_activity(given, seq=n, actor_id="Ann") for n, given in enumerate(activities)]
    return [brief(item) for item in collapse(changes, receiver_id="me", comments=comments or {})]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            activity("state", "Todo", "Done", old_identifier="s1", new_identifier="s2"),
            ["state Todo>Done by Ann"],
        ),
        (activity("state", "Todo", "To do", old_identifier="s1", new_identifier="s1"), []),
        (activity("state", None, None, old_identifier="s1", new_identifier="s2"), ["state ->- by Ann"]),
        (activity("target_date", "None", "2026-01-10"), ["target_date ->2026-01-10 by Ann"]),
        (activity("target_date", "2026-01-10", ""), ["target_date 2026-01-10>- by Ann"]),
        (activity("priority", "none", "high"), ["priority ->high by Ann"]),
        (activity("name", "None", "Some"), ["name None>Some by Ann"]),
        (activity("labels", "None", "bug", new_identifier="l1"), ["labels +bug by Ann"]),
        (activity("labels", "bug", "", old_identifier="l1"), ["labels -bug by Ann"]),
        (activity("blocked_by", "", "WEB-7", old_identifier="i7"), ["blocked_by +WEB-7 by Ann"]),
        (activity("archived_at", None, "manual_archive"), ["archived_at ->archived by Ann"]),
        (activity("archived_at", "archive", "restore"), ["archived_at archived>- by Ann"]),
        (activity("estimate_points", "3", "", old_identifier="e3"), ["estimate_points 3>- by Ann"]),
        (activity("attachment", "None", "None", verb="deleted"), ["attachment - by Ann"]),
        (activity("None", verb="created"), ["created by Ann"]),
        (activity("issue", verb="deleted"), []),
        (activity(None), ["unreadable by Ann"]),
        (activity("comment", None, "<p>x</p>", verb="created"), ["unreadable by Ann"]),
        ({}, ["unreadable by Ann"]),
    ],
)
def test_one_activity(given: dict[str, Any], expected: list[str]) -> None:
    assert told(given) == expected


def test_a_link_is_known_by_its_address_not_by_its_row() -> None:
    there = activity("link", "https://a", "https://b", old_identifier="k", new_identifier="k")
    back = activity("link", "https://b", "https://a", old_identifier="k", new_identifier="k", id="a2")
    assert told(there) == ["link +https://b -https://a by Ann"]
    assert told(there, back) == []


def test_relations_cancel_out_whatever_their_identifiers() -> None:
    added = activity("blocking", "", "WEB-7", old_identifier="i7")
    removed = activity("blocking", "WEB-7", "", old_identifier="i7", verb="deleted", id="a2")
    assert told(added, removed) == []


def test_archived_and_restored_is_no_news() -> None:
    archived = activity("archived_at", None, "archive")
    assert told(archived, activity("archived_at", "archive", "restore", id="a2")) == []


@pytest.mark.parametrize(
    ("field", "label", "added", "removed"),
    [
        ("link", "https://a.org", "created", "deleted"),
        ("attachment", "w/0a-plan.pdf", "created", "deleted"),
        ("cycles", "Sprint 4", "created", "deleted"),
        ("sub_issues", "WEB-7", "updated", "updated"),
    ],
)
def test_what_was_added_and_removed_again_is_no_news(
    field: str, label: str, added: str, removed: str
) -> None:
    came = activity(field, "", label, new_identifier="i7", verb=added)
    went = activity(field, label, "", old_identifier="i7", verb=removed, id="a2")
    assert told(came) == [f"{field} +{label} by Ann"]
    assert told(went) == [f"{field} -{label} by Ann"]
    assert told(came, went) == told(went, came) == []


def test_what_a_rule_did_last_is_told_with_the_reason() -> None:
    why = "automatically after 3 months without activity"
    by_hand = activity("state", "Todo", "Doing", old_identifier="s1", new_identifier="s2")
    by_rule = activity(
        "state", "Doing", "Void", old_identifier="s2", new_identifier="s3", automatic=why, id="a2"
    )
    reopened = activity("state", "Void", "Doing", old_identifier="s3", new_identifier="s2", id="a3")

    def reason(*activities: dict[str, Any]) -> str:
        changes = [read_activity(given, seq=n, actor_id=None) for n, given in enumerate(activities)]
        [item] = collapse(changes, receiver_id="me", comments={})
        assert isinstance(item, ValueChange)
        return item.why

    assert reason(by_hand, by_rule) == reason(by_rule) == why
    assert reason(by_hand, by_rule, reopened) == ""


def test_a_comment_is_new_only_when_it_was_created() -> None:
    row = activity("comment", "<p>a</p>", "<p>b</p>", new_identifier="c1")
    assert told(row, comments={"c1": "b"}) == []
    assert told({**row, "verb": "created"}, comments={"c1": "b"}) == ["comment c1 by Ann"]


def test_time_is_read_or_left_out() -> None:
    def at(time: object) -> datetime | None:
        return read_activity(activity("state", activity_time=time), seq=1, actor_id=None).occurred_at

    moment = datetime(2026, 1, 10, 12, 44, tzinfo=UTC)
    assert at(AT) == at(moment) == moment
    assert at("10/01/26") is at(None) is None


VALUES = st.none() | st.integers() | st.lists(st.none()) | st.sampled_from(["comment", "labels", "created"])


@given(st.dictionaries(st.sampled_from(sorted(activity(None))), VALUES | st.text("None-\x00\ud800<🙂")))
def test_reading_never_raises(given: dict[str, object]) -> None:
    change = read_activity(given, seq=1, actor_id=None)
    assert change.kind in Kind
    collapse([change], receiver_id="me", comments={})
