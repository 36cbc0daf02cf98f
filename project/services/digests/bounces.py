"""What follows from an event of a mail provider: an address that is left alone, or nothing.

A mail that a provider accepted can still bounce at the receiver's server, or be complained about. What that
server said is judged as if it had said it to us; only where its words are missing the provider's own judgement
counts. Refusals that are about us, such as of our reputation, are never held against a receiver.
"""

import re
from datetime import datetime

from project.models import EmailDigest, MailProviderEvent, SuppressedAddress, User
from project.services.digests.addresses import AddressError, check_address
from project.services.digests.progress import Outcome, Phase
from project.services.digests.replies import Kind, classify
from project.services.digests.suppression import suppress

Reason = SuppressedAddress.Reason

MAX_EVIDENCE = 300  # characters

#: What `message.message_id` makes. Each provider has another place for it, or none, but nobody else makes such.
_OUR_ID = re.compile(r"[a-z2-7]{26}\.d@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")
#: "550 5.1.1", "550-5.1.1", "550" or "5.1.1".
_REPLY = re.compile(
    r"(?<![\d.])(?:([45]\d\d)(?:[ -]+#?([45]\.\d{1,3}\.\d{1,3})\b|\b(?!\.))|([45]\.\d{1,3}\.\d{1,3})\b)"
)

_BY_REJECT_REASON = {
    "invalid": Reason.UNKNOWN,
    "bounced": Reason.UNKNOWN,
    "spam": Reason.COMPLAINT,
    "unsubscribed": Reason.COMPLAINT,
}
_BY_REPLY = {Kind.RECEIVER: Reason.UNKNOWN, Kind.RECEIVER_SOFT: Reason.FULL}


def conclude(event: MailProviderEvent, *, now: datetime) -> tuple[EmailDigest | None, str]:
    """Suppress the address that the event is about, if it says so.

    Returns:
        The digest that it is about, if that can be told, and what followed, in words.
    """
    try:
        address = check_address(event.recipient).lower()
    except AddressError:
        return None, "names no address that is mailed"
    digest = _digest(event.raw, address)
    reason = reason_in(event)
    if reason is None:
        return digest, "noted"
    if digest is None and not _is_mailed(event.recipient.lower(), address):
        return None, "is about nobody here"
    if _cleared_since(event.happened_at or event.created_at, address):
        return digest, "happened before the address was cleared"
    evidence = f"{event.provider} {event.kind}: {event.words}".strip(": ")[:MAX_EVIDENCE]
    suppress(address, reason, source=digest, evidence=evidence, now=now)
    return digest, f"address: {reason.label.lower()}"


def reason_in(event: MailProviderEvent) -> SuppressedAddress.Reason | None:
    """Return what an event says about its receiver; None if it says nothing."""
    match event.kind:
        case "complained" | "unsubscribed":
            return Reason.COMPLAINT
        case "rejected":
            return _BY_REJECT_REASON.get(event.reject_reason)
        case "bounced" if reply := _REPLY.search(event.words):
            return _BY_REPLY.get(_judged(reply))
        case "bounced":
            return Reason.UNKNOWN if event.permanent else Reason.FULL
    return None


def _is_mailed(recipient: str, address: str) -> bool:
    """Whether it is somebody's here. People may have written an international domain as it reads; mails do not."""
    if User.objects.filter(email=recipient).exists():
        return True
    return "xn--" in address and EmailDigest.objects.filter(to_address=address).exists()


def _cleared_since(at: datetime, address: str) -> bool:
    """Whether somebody vouched for the address after `at`: providers may tell of it hours later."""
    return SuppressedAddress.objects.filter(address=address, cleared_at__gt=at).exists()


def _judged(reply: re.Match[str]) -> Kind:
    enhanced = reply[2] or reply[3] or ""
    code = reply[1] or f"{enhanced[0]}50"
    return classify(Outcome(Phase.RCPT, int(code), enhanced)).kind


def _digest(raw: str, address: str) -> EmailDigest | None:
    ids = {f"<{name}>" for name in _OUR_ID.findall(raw)}
    mailed = EmailDigest.objects.defer("content").filter(message_id__in=ids, to_address__iexact=address)
    return mailed.first() if ids else None
