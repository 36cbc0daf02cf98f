"""Addresses and domains that refuse our mail, and what follows for the next mails to them.

A mailbox that does not exist is not mailed again, one that is always full not for two weeks; a domain whose
policy refuses us is left alone for an hour. But if mailboxes of many domains are refused in the same words
and nothing gets through, the fault is ours, and all that was concluded from it is undone.
"""

from datetime import datetime, timedelta
from functools import partial

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


def in_force(*, now: datetime) -> QuerySet[SuppressedAddress]:
    """Return the refusals that hold."""
    holds = Q(until__isnull=True) | Q(until__gt=now)
    return SuppressedAddress.objects.filter(holds, cleared_at__isnull=True)


def is_suppressed(address: str, *, now: datetime) -> bool:
    """Whether a mailbox is known not to exist, or to be full; `address` as stored. Domains are not asked."""
    try:
        return in_force(now=now).filter(address=check_address(address).lower()).exists()
    except AddressError:  # never mailed, so never refused
        return False


def domain_held_until(address: str, *, now: datetime) -> datetime | None:
    """Return until when no mail may be tried at the domain of `address`, as on the wire; None if it may."""
    held = in_force(now=now).filter(address=_domain(address))
    return held.order_by("until").values_list("until", flat=True).last()


def note_refusal(digest: EmailDigest, verdict: Verdict, *, now: datetime) -> None:
    """Keep what a refusal says about the address or the domain of `digest`; most refusals say nothing."""
    address = digest.to_address.lower()
    match verdict.kind:
        case Kind.RECEIVER:
            suppress(address, Reason.UNKNOWN, source=digest, evidence=verdict.reason, now=now)
        case Kind.RECEIVER_SOFT:
            suppress(address, Reason.FULL, source=digest, evidence=verdict.reason, now=now)
        case Kind.POLICY if verdict.outcome.phase is Phase.RCPT:
            suppress(_domain(address), Reason.POLICY, source=digest, evidence=verdict.reason, now=now)


def suppress(
    address: str, reason: Reason, *, source: EmailDigest | None, evidence: str, now: datetime
) -> None:
    """Leave an address, or a domain, alone from now on, for as long as the reason asks.

    A full mailbox is left alone only after several mails have found it full; one mail counts once.
    """
    # Not again if the same answer is recorded a second time.
    keep = partial(
        SuppressedAddress.objects.get_or_create,
        address=address,
        reason=reason,
        source=source,
        evidence=evidence,
        since=now,
    )
    match reason:
        case Reason.POLICY:
            keep(until=now + POLICY_FOR)
        case Reason.UNKNOWN | Reason.COMPLAINT:
            keep(until=None)
        case Reason.FULL if source is None or not _full(address, now).filter(source=source).exists():
            keep(until=now)
            if _full(address, now).count() >= FULL_AFTER:
                keep(until=now + FULL_FOR)


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


def _alike(verdict: Verdict, since: datetime) -> QuerySet[SuppressedAddress]:
    return SuppressedAddress.objects.filter(
        evidence=verdict.reason, reason__in=[Reason.UNKNOWN, Reason.POLICY], since__gte=since
    )


def _full(address: str, now: datetime) -> QuerySet[SuppressedAddress]:
    return SuppressedAddress.objects.filter(
        address=address, reason=Reason.FULL, since__gt=now - FULL_FOR, cleared_at__isnull=True
    )


def _domain(address: str) -> str:
    return f"@{address.rpartition('@')[2]}".lower()
