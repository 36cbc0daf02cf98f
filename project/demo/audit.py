"""What the tables say against what the mail server got."""

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Case, CharField, Count, F, Q, Value, When

from project.demo.effects import Effect
from project.models import DigestStatus, EmailDigest, EmailNotificationLog, IssueEvent, Notification

#: In these the final dot was written, so a mail has to be there.
PASSED_DOT = frozenset({DigestStatus.FENCED, DigestStatus.SENT, DigestStatus.SENT_ASSUMED, DigestStatus.HELD})


class End(NamedTuple):
    """How something ended, and why if it was not sent."""

    outcome: str
    reason: str


class Mail(NamedTuple):
    """One mail in one mailbox. It may be there once."""

    message_id: str | None
    receiver: str


@dataclass(frozen=True)
class Audit:
    """Counts from the tables, and the differences to the effect log of the mail server.

    Attributes:
        events: Things that happened to issues.
        notifications: Rows of the inboxes.
        lines: Log rows, by their end.
        digests: Digests, by their end.
        arrived: Mails that the server accepted.
        duplicates: Mails that it accepted a second time.
        lost: Mails that the tables call sent, and that it never saw.
        unexplained: Mails that it accepted and that no digest accounts for.
    """

    events: int
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


def audit(effects: list[Effect]) -> Audit:
    """Count and compare; to be called once everything has settled."""
    arrived = Counter(Mail(effect.message_id, address) for effect in effects for address in effect.to)
    passed = EmailDigest.objects.filter(status__in=PASSED_DOT)
    expected = {Mail(*row) for row in passed.values_list("message_id", "to_address")}
    return Audit(
        events=IssueEvent.objects.count(),
        notifications=Notification.objects.count(),
        lines=_line_ends(),
        digests=_digest_ends(),
        arrived=arrived.total(),
        duplicates=sorted((arrived - Counter(set(arrived))).elements()),
        lost=sorted(expected - arrived.keys()),
        unexplained=sorted(arrived.keys() - expected),
    )


def _digest_ends() -> Counter[End]:
    rows = EmailDigest.objects.values_list("status", "reason").annotate(count=Count("id"))
    return Counter({End(status, reason): count for status, reason, count in rows})


def _line_ends() -> Counter[End]:
    """A line left out alone has an end of its own; the others share their digest's."""
    alone = Q(line__suppressed__gt="")
    rows = (
        EmailNotificationLog.objects.annotate(
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
        .values_list("end", "why")
        .annotate(count=Count("id"))
    )
    return Counter({End(end, why): count for end, why, count in rows})
