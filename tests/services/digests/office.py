"""Stacker, sweep and worker in one thread, under a clock that moves only when told."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from uuid import uuid4

from django.conf import settings
from django.utils import timezone

from project.limits import Limits
from project.mail_server import MailServer
from project.models import DigestStatus, EmailDigest, Wake
from project.services.digests.breaker import Breaker
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from project.services.digests.settle import settle_unanswered
from project.services.maintenance.overdue import overdue_digests
from tests.factories import Team
from tests.scripted_smtp import ScriptedSMTP, running
from tests.services.digests.lines import NOW
from tests.services.digests.sending import LETTERHEAD, LIMITS, changed
from tests.smtp_script import BEHAVE, Script

MINUTE = timedelta(minutes=1)


class Office:
    """What the actors do, with a mail server of its own kind and no queue between."""

    def __init__(self, server: MailServer, limits: Limits = LIMITS) -> None:
        self.limits, self.now = limits, NOW
        self.outbox = Outbox(server, LETTERHEAD, limits)

    @property
    def breaker(self) -> Breaker:
        return self.outbox.breaker

    def move_to(self, server: MailServer) -> None:
        """Restart with another mail server in the settings."""
        self.outbox.connections.close()
        self.outbox = Outbox(server, LETTERHEAD, self.limits)

    def clock(self) -> datetime:
        return self.now

    def claim(self) -> list[Wake]:
        """What the stacker does at a tick, one batch."""
        room = min(self.limits.claim_batch, self.breaker.room(now=self.now))
        stacked = claim(now=self.now, limits=replace(self.limits, claim_batch=room)) if room else []
        return [*self.breaker.candidate(now=self.now), *stacked]

    def deliver(self, wakes: Iterable[Wake]) -> None:
        for row_id, dispatch in wakes:
            deliver(row_id, dispatch, owner=uuid4(), outbox=self.outbox, clock=self.clock)

    def tick(self, after: timedelta = MINUTE) -> None:
        """Let time pass, then do all that the actors find to do."""
        self.now += after
        self.deliver(self.claim())
        self.deliver(overdue_digests(now=self.now, limits=self.limits))
        settle_unanswered(now=self.now, limits=self.limits)

    def tick_until(self, moment: datetime) -> None:
        """Tick once a minute, at `moment` at the latest."""
        while self.now + MINUTE <= moment:
            self.tick()


@contextmanager
def open_office(behave: Script = BEHAVE, limits: Limits = LIMITS) -> Iterator[tuple[Office, ScriptedSMTP]]:
    """An office beside a server that misbehaves to order."""
    with running(behave) as server:
        office = Office(server.address, limits)
        try:
            yield office, server
        finally:
            office.outbox.connections.close()


def open_wakes() -> list[Wake]:
    """The wake-ups of all digests that are due or were left behind before their fence."""
    unfenced = EmailDigest.objects.filter(status__in=[DigestStatus.WAITING, DigestStatus.SENDING])
    return [Wake(*row) for row in unfenced.values_list("id", "dispatch")]


def work_off(dice: Random) -> None:
    """Deliver whatever is open, by the clock and the mail server of the settings, until nothing is."""
    outbox = Outbox(settings.MAIL_SERVER, LETTERHEAD, settings.LIMITS)
    while wakes := open_wakes():
        dice.shuffle(wakes)
        for row_id, dispatch in wakes:
            deliver(row_id, dispatch, owner=uuid4(), outbox=outbox, clock=timezone.now)


def due(team: Team, *, receiver: str = "bob", urgent: bool = False) -> EmailDigest:
    """A claimed digest about an issue of its own."""
    changed(team, receiver=receiver)
    (wake,) = claim(now=NOW, limits=LIMITS)
    EmailDigest.objects.filter(id=wake.row_id).update(urgent=urgent)
    return EmailDigest.objects.get(id=wake.row_id)


def wake(digest: EmailDigest) -> Wake:
    """The wake-up of a digest as it stands now."""
    return Wake(digest.id, EmailDigest.objects.values_list("dispatch", flat=True).get(id=digest.id))
