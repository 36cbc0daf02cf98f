"""The claim: due lines become digests, in one transaction, before anything is sent."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from project.limits import Limits
from project.models import (
    DigestKind,
    EmailDigest,
    EmailDigestLine,
    EmailNotificationLog,
    MailMode,
    MailSchedule,
    Wake,
)
from project.services.digests.due_lines import Line, lock_due_lines
from project.services.digests.windows import Pace, Wish, pace
from project.services.digests.wording import zone_named

NAMESPACE = UUID("6f0c1c1e-3d1b-5b8e-9c52-5f2a4f3f7d10")


def digest_id(log_ids: list[UUID]) -> UUID:
    """Name a digest after the log rows it covers."""
    return uuid5(NAMESPACE, ",".join(sorted(map(str, log_ids))))


def claim(*, now: datetime, limits: Limits) -> list[Wake]:
    """Turn due groups (receiver × issue, or × export) into up to `limits.claim_batch` digests.

    When a group is due is said in `windows`. If more than `limits.rollup_above` issues of one workspace are due for
    a person, they become one digest; mentions apart. Constant number of queries, whatever the batch.

    Returns:
        One wake-up per new digest; fewer than `limits.claim_batch` means that no more is due. Who sends them marks
        them as sent afterwards; until then any stacker finds them as never sent.
    """
    usual = pace(Wish(MailSchedule(), UTC), now=now, limits=limits)
    with transaction.atomic(durable=True):
        paces = _paces(now, limits)
        lines = lock_due_lines(paces, usual, now=now, limits=limits)
        parcels = sorted(_parcels(lines, paces, usual), key=_oldest)[: limits.claim_batch]
        digests = [_digest(lines, now) for lines in parcels]
        EmailDigest.objects.bulk_create(digests, batch_size=1000)
        EmailDigestLine.objects.bulk_create(
            [
                EmailDigestLine(log_id=line.log_id, digest_id=digest.id)
                for digest, lines in zip(digests, parcels, strict=True)
                for line in lines
            ],
            batch_size=5000,
        )
        claimed = [line.log_id for line in chain.from_iterable(parcels)]
        EmailNotificationLog.objects.filter(id__in=claimed).update(processed_at=now)
    return [Wake(digest.id, digest.dispatch) for digest in digests]


def _paces(now: datetime, limits: Limits) -> dict[UUID, Pace]:
    """Return the paces of those who wait for mail and want it otherwise than usual."""
    waiting = EmailNotificationLog.objects.filter(receiver=OuterRef("user"), processed_at__isnull=True)
    otherwise = Q(mode__in=[MailMode.INSTANT, MailMode.DAILY]) | Q(quiet_from__isnull=False)
    schedules = MailSchedule.objects.filter(otherwise, Exists(waiting))
    rows = schedules.annotate(zone=F("user__user_timezone"))
    return {row.user_id: pace(Wish(row, zone_named(row.zone)), now=now, limits=limits) for row in rows}


def _parcels(lines: Iterable[Line], paces: Mapping[UUID, Pace], usual: Pace) -> Iterator[list[Line]]:
    """Put together what is told in one mail: the lines about an issue, or about too many issues for a mail each."""
    for (receiver_id, workspace_id, urgent), groups in _families(lines, paces, usual).items():
        apart = usual.apart if urgent else paces.get(receiver_id, usual).apart
        if workspace_id and len(groups) > apart:
            yield list(chain.from_iterable(groups))
        else:
            yield from groups


def _families(
    lines: Iterable[Line], paces: Mapping[UUID, Pace], usual: Pace
) -> Mapping[tuple[UUID, UUID | None, bool], list[list[Line]]]:
    """Sort the groups by receiver and workspace, those apart that a mention made due."""
    groups: dict[tuple[UUID, UUID | None], list[Line]] = defaultdict(list)
    for line in lines:
        groups[line.receiver_id, line.about].append(line)
    families: dict[tuple[UUID, UUID | None, bool], list[list[Line]]] = defaultdict(list)
    for (receiver_id, _), group in groups.items():
        mentioned = paces.get(receiver_id, usual).mentioned
        urgent = any(line.urgent and line.created_at <= mentioned for line in group)
        families[receiver_id, group[0].workspace_id, urgent].append(group)
    return families


def _oldest(lines: Iterable[Line]) -> tuple[datetime, UUID]:
    return min((line.created_at, line.log_id) for line in lines)


def _digest(lines: Sequence[Line], now: datetime) -> EmailDigest:
    kind = DigestKind.EXPORT if lines[0].export else DigestKind.ISSUE
    if len({line.about for line in lines}) > 1:
        kind = DigestKind.ROLLUP
    return EmailDigest(
        id=digest_id([line.log_id for line in lines]),
        receiver_id=lines[0].receiver_id,
        kind=kind,
        issue_id=lines[0].issue_id if kind is DigestKind.ISSUE else None,
        workspace_id=lines[0].workspace_id,
        urgent=any(line.mention for line in lines),
        created_at=now,
        due_at=now,
    )
