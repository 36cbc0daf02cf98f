"""Addresses and domains that refuse our mail, and what follows for the next mails to them.

A mailbox that does not exist is not mailed again, one that is always full not for two weeks; a domain whose
policy refuses us is left alone for an hour. But if mailboxes of many domains are refused in the same words
and nothing gets through, the fault is ours, and all that was concluded from it is undone.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import CharField, F, Func, Q, QuerySet, Value

from project.models import DigestStatus, EmailDigest, SuppressedAddress
from project.services.digests.addresses import AddressError, check_address
from project.services.digests.attempts import reopen
from project.services.digests.progress import Phase
from project.services.digests.replies import Kind, Verdict

Reason = SuppressedAddress.Reason

#: The reason of a digest that is not mailed because of its address.
ADDRESS_SUPPRESSED = "suppressed_address"

FULL_AFTER = 5  # mails that found a mailbox full within FULL_FOR
FULL_FOR = timedelta(days=14)
POLICY_FOR = timedelta(hours=1)
ALIKE_DOMAINS = 3
ALIKE_WITHIN = timedelta(minutes=5)


def is_suppressed(address: str, *, now: datetime) -> bool:
    """Whether a mailbox is known not to exist, or to be full; `address` as stored. Domains are not asked."""
    try:
        return _in_force(check_address(address).lower(), now).exists()
    except AddressError:  # never mailed, so never refused
        return False


def domain_held_until(address: str, *, now: datetime) -> datetime | None:
    """Return until when no mail may be tried at the domain of `address`, as on the wire; None if it may."""
    return _in_force(_domain(address), now).order_by("until").values_list("until", flat=True).last()


def note_refusal(digest: EmailDigest, verdict: Verdict, *, now: datetime) -> None:
    """Keep what a refusal says about the address or the domain of `digest`; most refusals say nothing."""
    address = digest.to_address.lower()
    match verdict.kind:
        case Kind.RECEIVER:
            _keep(address, Reason.UNKNOWN, digest, verdict, now, until=None)
        case Kind.RECEIVER_SOFT:
            _count_full(address, digest, verdict, now)
        case Kind.POLICY if verdict.outcome.phase is Phase.RCPT:
            _keep(_domain(address), Reason.POLICY, digest, verdict, now, until=now + POLICY_FOR)


def refused_alike(verdict: Verdict, *, now: datetime) -> bool:
    """Whether many domains just refused in the words of `verdict`, and no mail got through meanwhile."""
    since = now - ALIKE_WITHIN
    if EmailDigest.objects.filter(status=DigestStatus.SENT, ended_at__gte=since).exists():
        return False
    domain = Func(F("address"), Value("@"), Value(2), function="split_part", output_field=CharField())
    alike = _alike(verdict, since).annotate(domain=domain)  # undone ones too: others may still be under way
    return alike.values("domain").distinct().count() >= ALIKE_DOMAINS


def undo(verdict: Verdict, *, now: datetime, until: datetime) -> None:
    """Clear what was concluded from refusals like `verdict`; their digests wait until `until`, as if held."""
    with transaction.atomic(durable=True):
        mistaken = _alike(verdict, now - ALIKE_WITHIN).filter(cleared_at__isnull=True)
        refused = {
            source: address for source, address in mistaken.values_list("source_id", "address") if source
        }
        spared = EmailDigest.objects.filter(  # not tried, because of what the refused ones had taught us
            status=DigestStatus.SUPPRESSED,
            reason=ADDRESS_SUPPRESSED,
            receiver__email__in=set(refused.values()),
            ended_at__gte=now - ALIKE_WITHIN,
        )
        mistaken.update(cleared_at=now)
        reopen([*refused, *spared.values_list("id", flat=True)], until=until)


def _in_force(address: str, now: datetime) -> QuerySet[SuppressedAddress]:
    holds = Q(until__isnull=True) | Q(until__gt=now)
    return SuppressedAddress.objects.filter(holds, address=address, cleared_at__isnull=True)


def _alike(verdict: Verdict, since: datetime) -> QuerySet[SuppressedAddress]:
    return SuppressedAddress.objects.filter(
        evidence=verdict.reason, reason__in=[Reason.UNKNOWN, Reason.POLICY], since__gte=since
    )


def _count_full(address: str, digest: EmailDigest, verdict: Verdict, now: datetime) -> None:
    """A mail that is tried again at a full mailbox counts once."""
    counted = SuppressedAddress.objects.filter(
        address=address, reason=Reason.FULL, since__gt=now - FULL_FOR, cleared_at__isnull=True
    )
    if counted.filter(source=digest).exists():
        return
    _keep(address, Reason.FULL, digest, verdict, now, until=now)
    if counted.count() >= FULL_AFTER:
        _keep(address, Reason.FULL, digest, verdict, now, until=now + FULL_FOR)


def _keep(
    address: str,
    reason: Reason,
    digest: EmailDigest,
    verdict: Verdict,
    now: datetime,
    *,
    until: datetime | None,
) -> None:
    SuppressedAddress.objects.create(
        address=address, reason=reason, source=digest, evidence=verdict.reason, since=now, until=until
    )


def _domain(address: str) -> str:
    return f"@{address.rpartition('@')[2]}".lower()
