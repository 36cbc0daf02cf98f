"""The ids given out so far must stay what they are, or a repeat after an update would tell people again."""

from uuid import UUID

from project.services.notifications.names import Kind, log_id, notification_id

ACTIVITY, RECEIVER = UUID(int=1), UUID(int=2)


def test_pinned() -> None:
    assert [str(name(ACTIVITY, RECEIVER, kind)) for name in (notification_id, log_id) for kind in Kind] == [
        "83e3c6f3-1d6f-5af4-b5ef-104e73f71c89",
        "252a659d-e8e8-5ed0-ad66-88521ce05965",
        "f0da1def-5934-5bad-b129-0526d6bf25cf",
        "63e802f6-18c7-57df-a99c-fed40910b6ba",
    ]


def test_each_cause_has_a_name_of_its_own() -> None:
    pairs = [(ACTIVITY, RECEIVER), (RECEIVER, ACTIVITY), (ACTIVITY, ACTIVITY)]
    names = {name(*pair, kind) for pair in pairs for name in (notification_id, log_id) for kind in Kind}
    assert len(names) == 12
