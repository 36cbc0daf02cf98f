"""Sealing: what a mail says is decided and frozen, under a name made of the digest and the content's generation.

It happens at every attempt, since what may be said can have changed. Content that comes out the same keeps its
bytes, its Date and its Message-ID.
"""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from uuid import UUID

from django.db import transaction

from project.limits import Limits
from project.models import DigestStatus, EmailDigestLine
from project.services.digests.addresses import AddressError, check_address
from project.services.digests.ambiguity import why_not_again
from project.services.digests.attempts import Attempt, end, put_off
from project.services.digests.content import content_of
from project.services.digests.context import Context, load
from project.services.digests.draft import Draft, Letterhead, draft_of
from project.services.digests.mail import Mail
from project.services.digests.recheck import Suppression, left_out, recheck, waits
from project.services.digests.suppression import domain_held_until


def seal(attempt: Attempt, letterhead: Letterhead, *, now: datetime, limits: Limits) -> Mail | None:
    """Freeze the mail of this attempt.

    Returns:
        The mail; None if there is nothing to mail, which the digest then says, or if the attempt is not ours
        any more.
    """
    context = load(attempt.digest_id)
    without = left_out(context, limits=limits)
    recipient = _recipient(attempt, context, without, now)
    if recipient is None:
        return None
    if attempt.perhaps_sent:
        return _as_it_was(attempt, context, without, letterhead, now)
    content = content_of(context, without, letterhead.site_url)
    if without != context.noted and not _note_left_out(attempt, without):
        return None
    if content is None:
        end(attempt, DigestStatus.SUPPRESSED, _why_nothing(context, without), now=now)
        return None
    draft = draft_of(context.digest, content, recipient, letterhead)
    return _freeze(attempt, draft, now)


def _recipient(attempt: Attempt, context: Context, without: Mapping[UUID, str], now: datetime) -> str | None:
    """Return the address on the wire; None if there is none to send to now, which the digest then says."""
    if refusal := recheck(context, now=now):
        end(attempt, DigestStatus.SUPPRESSED, refusal, now=now)
        return None
    try:
        recipient = check_address(context.receiver.email or "")
    except AddressError as error:
        end(attempt, DigestStatus.FAILED, f"receiver: {error.fault}", now=now)
        return None
    if wait := waits(context, without, now=now):
        put_off(attempt, until=wait.at, answer=wait.because, charge=False)
        return None
    if until := domain_held_until(recipient, now=now):
        put_off(attempt, until=until, answer="the domain refused other mail", charge=False)
        return None
    return recipient


def _as_it_was(
    attempt: Attempt, context: Context, without: Mapping[UUID, str], letterhead: Letterhead, now: datetime
) -> Mail | None:
    """Return the bytes that were perhaps sent before; None if they must not be sent again."""
    if refusal := why_not_again(context, without):
        end(attempt, DigestStatus.SUPPRESSED, refusal, now=now)
        return None
    digest = context.digest
    return Mail(letterhead.sender.address, digest.to_address, bytes(digest.content or b""))


def _why_nothing(context: Context, without: Mapping[UUID, str]) -> str:
    reasons = set(without.values()) if len(without) == len(context.logs) else set()
    return reasons.pop() if len(reasons) == 1 else Suppression.NOTHING_LEFT


def _note_left_out(attempt: Attempt, without: Mapping[UUID, str]) -> bool:
    """Write each line's own reason; False if the attempt is not ours any more."""
    logs_by_reason = defaultdict(list)
    for log_id, reason in without.items():
        logs_by_reason[reason].append(log_id)
    with transaction.atomic(durable=True):
        if not attempt.row().select_for_update().filter(status=DigestStatus.SENDING).exists():
            return False
        lines = EmailDigestLine.objects.filter(digest_id=attempt.digest_id)
        lines.exclude(suppressed="").update(suppressed="")
        for reason, log_ids in logs_by_reason.items():
            lines.filter(log_id__in=log_ids).update(suppressed=reason)
    return True


def _freeze(attempt: Attempt, draft: Draft, now: datetime) -> Mail | None:
    digest = draft.digest
    generation, sealed_at = max(digest.generation, 1), digest.sealed_at or now
    frozen = draft.frozen(generation, sealed_at)
    if digest.sealed_at and sha256(frozen).hexdigest() != digest.content_sha256:
        generation, sealed_at = digest.generation + 1, now
        frozen = draft.frozen(generation, sealed_at)
    with transaction.atomic(durable=True):
        ours = attempt.row().filter(status=DigestStatus.SENDING)
        if not ours.update(
            generation=generation,
            sealed_at=sealed_at,
            to_address=draft.recipient,
            subject=draft.content.subject,
            message_id=draft.message_id(generation),
            content=frozen,
            content_sha256=sha256(frozen).hexdigest(),
        ):
            return None
    return Mail(draft.sender.address, draft.recipient, frozen)
