"""The judgement on a run: everything that must be so, looked at once all has settled."""

from collections import Counter
from collections.abc import Iterator, Sized
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone

from project.models import DigestStatus, EmailDigest, EventStatus, IssueEvent
from project.services.maintenance.verify import Finding, verify
from tests.chaos import letters, mails, tellings
from tests.chaos.letters import LettersFound
from tests.chaos.mails import MailsFound
from tests.chaos.recovery import Recovery, recoveries
from tests.chaos.scene import Scene
from tests.chaos.tellings import TellingsFound

#: How the reason begins when a mail server said no; the troubles of a storm include that.
REFUSED = ("message: ", "receiver: ", "receiver_soft: ")


@dataclass(frozen=True)
class Judgement:
    """What was found.

    Attributes:
        stuck: What had not come to its end; empty if everything had.
    """

    stuck: str
    tellings: TellingsFound
    mails: MailsFound
    letters: LettersFound
    broken: list[Finding]
    given_up: Counter[str]
    recoveries: list[Recovery]

    @property
    def faults(self) -> list[str]:
        """What must not be, in words; empty after a good run."""
        found = [f"{len(found)} {what}" for what, found in self._checks() if found]
        return [*found, f"stuck: {self.stuck}"] if self.stuck else found

    def _checks(self) -> Iterator[tuple[str, Sized]]:
        yield "tellings without their row", self.tellings.missing
        yield "rows without their telling", self.tellings.surplus
        yield "mails lost", self.mails.lost
        yield "digests mailed twice", self.mails.doubled
        yield "mails sent by digests that deny it", self.mails.denied
        yield "mails under another name than their digest's", self.mails.misnamed
        yield "mails of no digest", self.mails.unknown
        yield "dead letters whose work is undone", self.letters.mattering
        yield "reasons for giving up that no fault explains", self.given_up
        yield "findings of verify", [finding.check.name for finding in self.broken]


def judge(scene: Scene, stuck: str) -> Judgement:
    """Look at everything; to be called once all has settled."""
    return Judgement(
        stuck=stuck,
        tellings=tellings.compare(),
        mails=mails.compare(scene.smtp.accepted),
        letters=letters.look(),
        broken=verify(now=timezone.now(), limits=settings.LIMITS),
        given_up=Counter(_given_up()),
        recoveries=recoveries(scene.traps.sprung()),
    )


def _given_up() -> Iterator[str]:
    yield from IssueEvent.objects.filter(status=EventStatus.FAILED).values_list("reason", flat=True)
    failed = EmailDigest.objects.filter(status__in=[DigestStatus.FAILED, DigestStatus.EXPIRED])
    for reason in failed.values_list("reason", flat=True):
        if not reason.startswith(REFUSED):
            yield reason
