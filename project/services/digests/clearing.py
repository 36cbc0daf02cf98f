"""Letting mail go again to an address that had refused it: by an operator, its owner, or a proof that it works.

Everything that was kept against the address is cleared, what was only counted too. Otherwise the next full
mailbox would find four old counts and close the door at once.
"""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from project.models import MOMENT, Order, Prospect, RequeueAudit, SuppressedAddress, User
from project.services.digests.addresses import AddressError, check_address
from project.services.digests.suppression import in_force

Reason = SuppressedAddress.Reason

#: What people may clear for their own address: it may have changed, or was their own doing. That there is no such
#: mailbox they cannot know better than its server; they change the address.
SOFT = frozenset({Reason.FULL, Reason.COMPLAINT})


def standing(address: str, *, now: datetime) -> SuppressedAddress | None:
    """Return why an address, as stored with a person, is not mailed: the reason that is hardest to mend."""
    try:
        rows = in_force(now=now).filter(address=check_address(address).lower())
    except AddressError:
        return None
    return max(rows, key=lambda row: (row.reason not in SOFT, row.since), default=None)


def try_again(address: str, *, now: datetime) -> bool:
    """Let mail go to an address again because its owner says so; False if that is not theirs to say."""
    refusal = standing(address, now=now)
    if refusal is None or refusal.reason not in SOFT:
        return False
    return bool(_uncleared([refusal.address]).update(cleared_at=now))


def verified(user: User, *, now: datetime) -> bool:
    """Let mail go to the address of `user` again, whatever was kept against it: they just proved that it works.

    For whoever turns `is_email_verified` on, in the same transaction. False if nothing was kept.
    """
    try:
        address = check_address(user.email or "").lower()
    except AddressError:  # never mailed, so never refused
        return False
    return bool(_uncleared([address]).update(cleared_at=now))


def if_cleared(addresses: Sequence[str], *, now: datetime) -> dict[str, Prospect]:
    """Tell what clearing would come to now, by the addresses as kept; a domain begins with "@"."""
    found: dict[str, SuppressedAddress] = {}
    for row in in_force(now=now).filter(address__in=addresses).order_by("since"):
        found[row.address] = row
    return {address: _prospect(found.get(address)) for address in addresses}


def clear(addresses: Sequence[str], order: Order) -> dict[str, Prospect]:
    """Clear addresses and domains. What was not mailed to them meanwhile stays as it is; the inbox has it."""
    with transaction.atomic(durable=True):
        list(_uncleared(addresses).select_for_update().order_by("id"))
        prospects = if_cleared(addresses, now=order.at)
        acted_on = [address for address, prospect in prospects.items() if prospect.acts]
        _uncleared(acted_on).update(cleared_at=order.at)
        outcomes = {key: prospect.came_true(order.verb) for key, prospect in prospects.items()}
        RequeueAudit.begin(order, RequeueAudit.Target.ADDRESSES, outcomes).finish(outcomes, now=order.at)
    return outcomes


def _uncleared(addresses: Sequence[str]) -> QuerySet[SuppressedAddress]:
    return SuppressedAddress.objects.filter(address__in=addresses, cleared_at__isnull=True)


def _prospect(row: SuppressedAddress | None) -> Prospect:
    if row is None:
        return Prospect(False, "not suppressed")
    detail = f"{row.get_reason_display().lower()} since {row.since:{MOMENT}}: {row.evidence}"
    return Prospect(True, "will be cleared", detail)
