"""What a mail provider posts about our mails: kept first, and looked at later by a worker."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid5

from django.db import transaction

from project.limits import Limits
from project.models import MailProviderEvent, Wake
from project.services.digests.bounces import conclude
from project.services.digests.header_text import clean_header_text

NAMESPACE = UUID("0d4b6d6e-4f3b-5c0a-9a55-6f5b1c6b8f21")

MAX_WORDS = 1000  # characters of what a server said


@dataclass(frozen=True, kw_only=True)
class Told:
    """One event about one receiver. `kind` and `reject_reason` are anymail's words; `raw` is the provider's own.

    `token` is what the provider signed instead of the event, if it does so; it stands for one event only.
    """

    provider: str
    event_id: str
    kind: str
    reject_reason: str
    recipient: str
    words: str
    permanent: bool
    happened_at: datetime | None
    raw: Mapping[str, Any]
    token: str | None = None


def keep(told: Told, *, now: datetime) -> Wake | None:
    """Keep an event, once; the wake-up is for it whether it is new or not. None if its token was another's."""
    raw = json.dumps(told.raw, sort_keys=True, default=str)
    name = told.event_id or sha256(raw.encode()).hexdigest()
    row = MailProviderEvent(
        # A provider may tell of several receivers, or steps, under one name.
        id=uuid5(NAMESPACE, ":".join((told.provider, name, told.kind, told.recipient))),
        provider=told.provider,
        kind=told.kind[:32],
        token=told.token,
        reject_reason=told.reject_reason[:32],
        recipient=clean_header_text(told.recipient, 255),
        words=clean_header_text(told.words, MAX_WORDS),
        permanent=told.permanent,
        raw=raw,
        happened_at=told.happened_at,
        created_at=now,
    )
    MailProviderEvent.objects.bulk_create([row], ignore_conflicts=True)
    known = MailProviderEvent.objects.filter(id=row.id).exists()
    return Wake(row.id, row.dispatch) if known else None


@transaction.atomic(durable=True)
def process(event_id: UUID, dispatch: int, *, now: datetime) -> None:
    """Conclude from an event, once; one that is gone, or was concluded from, is nothing to do."""
    open_ones = MailProviderEvent.objects.select_for_update().filter(processed_at__isnull=True)
    event = open_ones.filter(id=event_id, dispatch=dispatch).first()
    if event is None:
        return
    event.digest, event.outcome = conclude(event, now=now)
    event.processed_at = now
    event.save()


def overdue_provider_events(*, now: datetime, limits: Limits) -> list[Wake]:
    """Find events that nobody has looked at for longer than their wake-up may take."""
    stale = now - limits.overdue
    lost = MailProviderEvent.objects.filter(processed_at__isnull=True, created_at__lte=stale)
    rows = lost.exclude(enqueued_at__gt=stale).order_by("created_at")
    return [Wake(*row) for row in rows.values_list("id", "dispatch")[: limits.sweep_batch]]
