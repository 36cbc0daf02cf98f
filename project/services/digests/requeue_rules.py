"""What an order about one digest comes to. Rules only; they serve the preview and the deed alike."""

from project.models import MOMENT, DigestStatus, EmailDigest, Prospect

_S = DigestStatus
MAILED = frozenset({_S.SENT, _S.SENT_ASSUMED})
UNDER_WAY = frozenset({_S.WAITING, _S.SENDING, _S.FENCED})
RETRIABLE = frozenset({_S.FAILED, _S.EXPIRED, _S.HELD})

NO_SUCH_DIGEST = Prospect(False, "no such digest")
MAYBE_TWICE = "the mail server had the whole mail, and perhaps took it"


def if_requeued(digest: EmailDigest | None, dispatch: int) -> Prospect:
    """Judge a re-queue by somebody who saw the digest under `dispatch`."""
    if digest is None:
        return NO_SUCH_DIGEST
    if refusal := _mailed(digest) or _moved_on(digest, dispatch):
        return refusal
    if digest.status in UNDER_WAY:
        return Prospect(False, "under way", f"{digest.status}, due at {digest.due_at:{MOMENT}}")
    if digest.status == _S.SUPPRESSED:
        return Prospect(False, "suppressed", f"not mailed on purpose: {digest.reason}")
    if digest.status == _S.HELD:
        return Prospect(True, "may be mailed twice", f"{_standing(digest)}; {MAYBE_TWICE}")
    return Prospect(True, "will run", _standing(digest))


def if_assumed_sent(digest: EmailDigest | None, dispatch: int) -> Prospect:
    """Judge taking the digest for sent."""
    if digest is None:
        return NO_SUCH_DIGEST
    if refusal := _mailed(digest) or _moved_on(digest, dispatch):
        return refusal
    if digest.status != _S.HELD:
        return Prospect(False, "not held", f"it is {_standing(digest)}")
    return Prospect(True, "will count as sent", _standing(digest))


def why_idle(digest: EmailDigest | None, dispatch: int) -> str:
    """Say why a wake-up of the digest would do nothing; empty if it would start an attempt."""
    if digest is None:
        return "the digest is gone"
    if digest.status in {_S.WAITING, _S.SENDING} and digest.dispatch == dispatch:
        return ""
    later = f"has a later dispatch ({digest.dispatch}) and " if digest.dispatch > dispatch else ""
    again = f"; `digests requeue {digest.id}` tries it again" if digest.status in RETRIABLE else ""
    return f"the digest {later}is {_standing(digest)}{again}"


def _mailed(digest: EmailDigest) -> Prospect | None:
    if digest.status not in MAILED:
        return None
    return Prospect(False, "already sent", f"at {digest.dot_at:{MOMENT}}" if digest.dot_at else "")


def _moved_on(digest: EmailDigest, dispatch: int) -> Prospect | None:
    if digest.dispatch == dispatch:
        return None
    return Prospect(False, "already re-queued", f"dispatch {digest.dispatch}, it is {_standing(digest)}")


def _standing(digest: EmailDigest) -> str:
    since = f" since {digest.ended_at:{MOMENT}}" if digest.ended_at else ""
    reason = f": {digest.reason}" if digest.reason else ""
    return f"{digest.get_status_display().lower()}{since}{reason}"
