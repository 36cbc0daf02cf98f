"""What the tables say against what the mail server got."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Case, CharField, F, Q, Value, When

from project.demo.effects import Effect
from project.models import (
    DigestStatus,
    EmailDigest,
    EmailNotificationLog,
    EventStatus,
    IssueEvent,
    Notification,
)

#: In these the final dot was written, so a mail has to be there.
PASSED_DOT = frozenset({DigestStatus.FENCED, DigestStatus.SENT, DigestStatus.SENT_ASSUMED, DigestStatus.HELD})

GIVEN_UP = frozenset({EventStatus.FAILED, DigestStatus.FAILED, DigestStatus.EXPIRED})


class End(NamedTuple):
    """How something ended, and why if it was not sent."""

    outcome: str
    reason: str


class Mail(NamedTuple):
    """One mail in one mailbox. It may be there once."""

    message_id: str
    receiver: str


@dataclass(frozen=True)
class Audit:
    """Counts from the tables, and the differences to the effect log of the mail server.

    Attributes:
        events: Things that happened to issues, by the end of their fan-out.
        notifications: Rows of the inboxes.
        lines: Log rows, by their end.
        digests: Digests, by their end.
        arrived: Mails that the server accepted.
        duplicates: Mails that it accepted a second time.
        lost: Mails that the tables call sent, and that it never saw.
        unexplained: Mails that it accepted and that no digest accounts for.
    """

    events: Counter[End]
    notifications: int
    lines: Counter[End]
    digests: Counter[End]
    arrived: int
    duplicates: list[Mail]
    lost: list[Mail]
    unexplained: list[Mail]

    @property
    def exact(self) -> bool:
        """Whether every mail is there once."""
        return not (self.duplicates or self.lost or self.unexplained)

    @property
    def unfailing(self) -> bool:
        """Whether no event and no digest was given up."""
        return not any(end.outcome in GIVEN_UP for end in self.events | self.digests)


def audit(effects: list[Effect]) -> Audit:
    """Count and compare; to be called once everything has settled."""
    arrived = Counter(Mail(effect.message_id or "", address) for effect in effects for address in effect.to)
    passed = EmailDigest.objects.filter(status__in=PASSED_DOT)
    expected = {Mail(*row) for row in passed.values_list("message_id", "to_address")}
    return Audit(
        events=_ends(IssueEvent.objects.values_list("status", "reason")),
        notifications=Notification.objects.count(),
        lines=_line_ends(),
        digests=_ends(EmailDigest.objects.values_list("status", "reason")),
        arrived=arrived.total(),
        duplicates=sorted((arrived - Counter(set(arrived))).elements()),
        lost=sorted(expected - arrived.keys()),
        unexplained=sorted(arrived.keys() - expected),
    )


def _line_ends() -> Counter[End]:
    """A line that was left out alone has an end of its own; the others share their digest's."""
    alone = Q(line__suppressed__gt="")
    ends = EmailNotificationLog.objects.annotate(
        end=Case(
            When(alone, then=Value(DigestStatus.SUPPRESSED)),
            default=F("line__digest__status"),
            output_field=CharField(),
        ),
        why=Case(
            When(alone, then=F("line__suppressed")),
            default=F("line__digest__reason"),
            output_field=CharField(),
        ),
    )
    return _ends(ends.values_list("end", "why"))


def _ends(rows: Iterable[tuple[str, str]]) -> Counter[End]:
    return Counter(End(*row) for row in rows)
