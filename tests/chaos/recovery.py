"""How long it took until what a killed process was at had been done by another one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from project.models import DigestStatus, EmailDigest, EmailNotificationLog, IssueEvent
from tests.chaos.traps import Sprung


@dataclass(frozen=True)
class Recovery:
    """One death, and what became of the rows that it interrupted.

    Attributes:
        digests: Those of the rows that are mails.
        seconds: Until the last of the rows was done; None if all were, or if none of them can tell: its
            transaction had been rolled back, the mail server put it off, or its answer was given up.
    """

    sprung: Sprung
    digests: list[UUID]
    seconds: float | None


def recoveries(all_sprung: Sequence[Sprung]) -> list[Recovery]:
    """Look up all of them."""
    done = _when_done()
    digests = {str(row): row for row in EmailDigest.objects.values_list("id", flat=True)}
    return [
        Recovery(sprung, [digests[row] for row in sprung.work if row in digests], _seconds(sprung, done))
        for sprung in all_sprung
    ]


def _seconds(sprung: Sprung, done: dict[str, datetime]) -> float | None:
    late = [done[row].timestamp() - sprung.at for row in sprung.work if row in done]
    return max((seconds for seconds in late if seconds > 0), default=None)


def _when_done() -> dict[str, datetime]:
    # Put off by the mail server: its time says nothing about the death. Assumed: known from a clock put forward.
    ended = EmailDigest.objects.filter(dispatch=1).exclude(status=DigestStatus.SENT_ASSUMED)
    return {
        str(row): at
        for rows in (
            IssueEvent.objects.values_list("id", "fanned_out_at"),
            EmailNotificationLog.objects.values_list("id", "processed_at"),
            ended.values_list("id", "ended_at"),
        )
        for row, at in rows
        if at is not None
    }
