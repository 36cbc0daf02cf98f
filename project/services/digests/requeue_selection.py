"""Which digests an operator means."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from project.models import DigestStatus, EmailDigest, Issue, User, Wake


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What to look for; what is not given does not restrict.

    Attributes:
        statuses: any of these.
        reason: part of the reason, in any case.
        since: the earliest end.
        until: the latest end.
    """

    statuses: Sequence[DigestStatus]
    reason: str | None = None
    receiver: User | None = None
    issue: Issue | None = None
    since: datetime | None = None
    until: datetime | None = None

    def rows(self) -> QuerySet[EmailDigest]:
        """Return the digests that fit, in the order in which they ended."""
        given = {
            "status__in": self.statuses,
            "reason__icontains": self.reason,
            "receiver": self.receiver,
            "issue": self.issue,
            "ended_at__gte": self.since,
            "ended_at__lte": self.until,
        }
        filters = {name: value for name, value in given.items() if value is not None}
        return EmailDigest.objects.defer("content").filter(**filters).order_by("ended_at", "id")

    def targets(self) -> Iterator[Wake]:
        """Name them as they stand now, read piece by piece."""
        return (Wake(*row) for row in self.rows().values_list("id", "dispatch").iterator())
