"""Unfinished work, as the tables show it."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from project.models import DigestStatus, EmailDigest, EmailNotificationLog, EventStatus, IssueEvent
from project.models.digest import ENDED


@dataclass(frozen=True)
class Unfinished:
    """Events without a fan-out, log rows outside of a digest, and digests without an end, by status."""

    events: frozenset[UUID]
    lines: frozenset[UUID]
    digests: dict[UUID, DigestStatus]

    @classmethod
    def now(cls) -> "Unfinished":
        """Look; in the order of the flow, so that what moves on meanwhile is not missed."""
        return cls(
            events=frozenset(
                IssueEvent.objects.filter(status=EventStatus.PENDING).values_list("id", flat=True)
            ),
            lines=frozenset(
                EmailNotificationLog.objects.filter(processed_at=None).values_list("id", flat=True)
            ),
            digests={
                digest.id: DigestStatus(digest.status)
                for digest in EmailDigest.objects.exclude(status__in=ENDED).only("status")
            },
        )

    def digests_in(self, status: DigestStatus) -> frozenset[UUID]:
        """Ids of the digests that stand at `status`."""
        return frozenset(row_id for row_id, actual in self.digests.items() if actual == status)


def mailed(digest_ids: Collection[UUID], message_ids: Collection[str | None]) -> bool:
    """Whether the mail of each of these digests is among those that arrived."""
    named = EmailDigest.objects.filter(id__in=digest_ids).values_list("message_id", flat=True)
    return set(named) <= set(message_ids)


def fanned_out() -> bool:
    """Whether every event has become notifications and log rows."""
    return not IssueEvent.objects.filter(status=EventStatus.PENDING).exists()
