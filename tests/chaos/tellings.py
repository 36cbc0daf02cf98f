"""Who had to hear of what, against the rows of inboxes and mail log."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from project.models import EmailNotificationLog, IssueEvent, Notification
from tests.chaos.cast import hearers, people


class Telling(NamedTuple):
    """One person hears of one activity: as of a mention of theirs, or in the ordinary way."""

    activity: str
    receiver: str
    mention: bool


@dataclass(frozen=True)
class TellingsFound:
    """What is wrong with the rows: tellings of a committed event without a row, and rows without a telling."""

    events: int
    missing: list[Telling]
    surplus: list[Telling]


def compare() -> TellingsFound:
    """Compare both tables with what had to be in them."""
    expected = Counter(_expected())
    inboxes, log = Counter(_in_inboxes()), Counter(_in_log())
    return TellingsFound(
        events=IssueEvent.objects.count(),
        missing=[*(expected - inboxes).elements(), *(expected - log).elements()],
        surplus=[*(inboxes - expected).elements(), *(log - expected).elements()],
    )


def _expected() -> Iterator[Telling]:
    circles = people()
    for event in IssueEvent.objects.select_related("issue"):
        for activity in event.activity_ids:
            for receiver in hearers(event.issue, event.actor_id, circles):
                yield Telling(str(activity), str(receiver), receiver in event.mentioned_ids)


def _in_inboxes() -> Iterator[Telling]:
    # A notification of a mention has no title, but a message.
    rows = Notification.objects.values_list("data__issue_activity__id", "receiver_id", "title")
    return (Telling(activity, str(receiver), not title) for activity, receiver, title in rows)


def _in_log() -> Iterator[Telling]:
    rows = EmailNotificationLog.objects.values_list(
        "data__issue_activity__id", "receiver_id", "data__issue_activity__field"
    )
    return (Telling(activity, str(receiver), field == "mention") for activity, receiver, field in rows)
