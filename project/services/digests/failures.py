"""What only several mails together can tell: whether the fault lies with the sender.

Failures are counted over a sliding window, and not beyond the last mail that was sent: a success is proof.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Count, Max

from project.limits import Limits
from project.models import DigestStatus, EmailDigest, MailFailure
from project.services.digests.progress import Phase
from project.services.digests.replies import Kind, Verdict
from project.services.digests.suppression import refused_alike

WINDOW = timedelta(minutes=5)
#: Nobody answered. A server that takes a mail and does not say so is as bad as one that is away.
OUTAGES = frozenset({Kind.OUTAGE, Kind.SESSION, Kind.AMBIGUOUS})
REFUSALS = 20  # by policy, within the window …
SUCCESS = 0.1  # … while a smaller part of the mails was sent
BARE = 5  # refusals without a code that says why, in a row, can hardly lie with each of the mails


def in_context(sender: str, verdict: Verdict, *, now: datetime) -> Verdict:
    """Return the verdict in the light of those before: the last of many bare refusals is taken for policy."""
    if _bare(verdict) and _in_a_row(sender, {Kind.MESSAGE, Kind.POLICY}, now - WINDOW) >= BARE - 1:
        return Verdict(Kind.POLICY, verdict.outcome)
    return verdict


def blames_sender(verdict: Verdict) -> bool:
    """Whether a failure may lie with the server or with us, whatever the mail and whoever gets it."""
    refused = verdict.kind is Kind.POLICY and verdict.outcome.phase is Phase.REPLIED
    return verdict.kind in OUTAGES or verdict.kind is Kind.CONFIG or verdict.throttled or refused


def cause_to_stop(
    sender: str, verdict: Verdict, *, flows_since: datetime | None, now: datetime, limits: Limits
) -> str:
    """Count a failure of a mail, and tell why all mail must be stopped, or "" if it need not.

    Policy refusals from before `flows_since`, the end of the last stop, do not count.
    """
    kind, told = verdict.kind, verdict.reason
    if kind is Kind.CONFIG or verdict.throttled:
        return f"{kind}: {told}"
    if blames_sender(verdict) or _bare(verdict):
        _note(sender, verdict, now)
    if kind in OUTAGES and _in_a_row(sender, OUTAGES, now - limits.breaker_window) >= limits.breaker_outages:
        return f"{limits.breaker_outages} mails in a row without an answer, the last: {told}"
    if kind is Kind.POLICY and _refused_almost_always(sender, max(now - WINDOW, flows_since or now - WINDOW)):
        return f"almost all mail is refused by policy: {told}"
    if verdict.outcome.phase is Phase.RCPT and refused_alike(verdict, now=now):
        return f"receivers of many domains are refused alike: {told}"
    return ""


def recent(sender: str) -> dict[str, int]:
    """Return how many failures of which kind are counted at the moment."""
    kinds = MailFailure.objects.filter(sender=sender).values_list("kind")
    return dict(kinds.annotate(times=Count("id")).order_by("kind"))


def _bare(verdict: Verdict) -> bool:
    outcome = verdict.outcome
    return outcome.phase is Phase.REPLIED and not outcome.enhanced and outcome.code in {550, 554}


def _note(sender: str, verdict: Verdict, now: datetime) -> None:
    mine = MailFailure.objects.filter(sender=sender)
    mine.filter(at__lt=now - WINDOW).delete()
    mine.create(sender=sender, kind=verdict.kind, at=now)


def _in_a_row(sender: str, kinds: Iterable[Kind], since: datetime) -> int:
    failures = MailFailure.objects.filter(sender=sender, kind__in=kinds, at__gte=since)
    sent = EmailDigest.objects.filter(status=DigestStatus.SENT).aggregate(last=Max("ended_at"))["last"]
    return failures.filter(at__gt=sent).count() if sent else failures.count()


def _refused_almost_always(sender: str, since: datetime) -> bool:
    refused = MailFailure.objects.filter(sender=sender, kind=Kind.POLICY, at__gte=since).count()
    sent = EmailDigest.objects.filter(status=DigestStatus.SENT, ended_at__gte=since).count()
    return refused >= REFUSALS and sent < SUCCESS * (sent + refused)
