"""The breaker: stops all mail when the fault lies with the mail server or with us, and not with a mail.

While it is open no digest is charged an attempt, and lines gather. One mail after the other, ever more rarely,
is let through as a probe; the first that is sent lets mail flow again. Who takes a probe thereby schedules the
next: a probe that fails leaves nothing to write, and one that gets lost stops nothing.

Every change is a compare-and-set on the row. Of many workers one opens it, and one gets the probe.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.crypto import salted_hmac

from project.limits import Limits
from project.mail_server import Mailbox, MailServer
from project.models import EmailNotificationLog, MailBreaker, Wake
from project.services.digests import drain, failures
from project.services.digests.replies import Kind, Verdict
from project.services.digests.suppression import undo

logger = logging.getLogger(__name__)

AT_ONCE = timedelta(seconds=1)  # two operators who resume it within this time do it once


@dataclass(frozen=True)
class Passage:
    """The leave to try one mail. A probe has `stopped_at`: the beginning of the stop that it may end."""

    stopped_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class State:
    """How mail stands, for people.

    Attributes:
        stopped_at: None if mail flows.
        cause: of the stop, or of the last one.
        failures: how many mails failed in which way, of those few minutes that are counted.
        probes: how many were tried since it was stopped or resumed.
        probe_at: when the next probe may be tried.
        flows_since: the end of the last stop.
        waiting: digests that wait for it.
        gathering: lines that are in no digest yet.
        elsewhere: since when it is stopped for senders with other settings: other workers', or earlier ones.
    """

    stopped_at: datetime | None
    cause: str
    failures: Mapping[str, int]
    probes: int
    probe_at: datetime | None
    flows_since: datetime | None
    waiting: int
    gathering: int
    elsewhere: list[datetime]

    def probe_due(self, now: datetime) -> bool:
        """Whether an order to resume would change nothing, since mail is tried again in a moment anyway."""
        return self.probe_at is not None and self.probe_at <= now + AT_ONCE


class Breaker:
    """The breaker of one sender configuration. All it remembers is in the table."""

    def __init__(self, server: MailServer, sender: Mailbox, limits: Limits) -> None:
        self.sender = _fingerprint(server, sender)
        self.address = sender.address
        self._limits = limits

    def admit(self, *, now: datetime) -> Passage | None:
        """Ask before each mail. None means: not now, and the mail is not to blame."""
        row = self._row(now)
        if row.opened_at is None:
            return Passage()
        return Passage(row.opened_at) if self._took_probe(row, now) else None

    def note(self, passage: Passage, verdict: Verdict | None, *, now: datetime) -> None:
        """Tell what became of an admitted mail, once its digest says so; None if the server was not asked."""
        if verdict and verdict.kind is not Kind.SENT:
            self._failed(verdict, now)
        if passage.stopped_at:
            self._probed(passage.stopped_at, verdict, now)

    def candidate(self, *, now: datetime) -> list[Wake]:
        """Return the wake-up of the digest to be probed with, if a probe is due: the one that waits longest."""
        if not self._row(now).probe_due(now):
            return []
        return [Wake(*row) for row in drain.waiting().order_by("due_at").values_list("id", "dispatch")[:1]]

    def room(self, *, now: datetime) -> int:
        """Return how many digests a tick may make of waiting lines.

        While mail is stopped that is none: lines gather, and a stop of hours is one mail a group. But there is
        room for a digest to be probed with if none waits.
        """
        row = self._row(now)
        if row.opened_at:
            return int(row.probe_due(now) and not drain.waiting().exists())
        if row.closed_at:
            return drain.room(now - row.closed_at, limits=self._limits)
        return self._limits.claim_rounds * self._limits.claim_batch

    def resume(self, *, now: datetime) -> bool:
        """Let the next tick probe, for an operator who mended something. False if there is nothing to do."""
        return bool(self._rows(probe_at__gt=now + AT_ONCE).update(probes=0, probe_at=now))

    def state(self) -> State:
        """Tell how mail stands."""
        row = self._rows().first() or MailBreaker()
        others = MailBreaker.objects.filter(opened_at__isnull=False).exclude(sender=self.sender)
        return State(
            stopped_at=row.opened_at,
            cause=row.cause,
            failures=failures.recent(self.sender),
            probes=row.probes,
            probe_at=row.probe_at,
            flows_since=row.closed_at,
            waiting=drain.waiting().count(),
            gathering=EmailNotificationLog.objects.filter(processed_at__isnull=True).count(),
            elsewhere=[row.opened_at for row in others.order_by("opened_at") if row.opened_at],
        )

    def _rows(self, **conditions: object) -> QuerySet[MailBreaker]:
        return MailBreaker.objects.filter(sender=self.sender, **conditions)

    def _row(self, now: datetime) -> MailBreaker:
        """A configuration that comes while mail is stopped under another one is probed at once."""
        if row := self._rows().first():
            return row
        stopped = MailBreaker.objects.filter(opened_at__isnull=False).exists()
        opened = {"opened_at": now, "probe_at": now, "cause": "a new configuration"} if stopped else {}
        return MailBreaker.objects.get_or_create(sender=self.sender, defaults=opened)[0]

    def _took_probe(self, row: MailBreaker, now: datetime) -> bool:
        if not row.probe_due(now):
            return False
        unchanged = self._rows(opened_at=row.opened_at, probe_at=row.probe_at)
        return bool(unchanged.update(probes=F("probes") + 1, probe_at=self._probe_after(row.probes + 1, now)))

    def _probe_after(self, probes: int, now: datetime) -> datetime:
        first, longest = self._limits.breaker_probe, self._limits.breaker_probe_max
        return now + min(first * (1 << min(probes, 16)), longest)

    def _failed(self, verdict: Verdict, now: datetime) -> None:
        row = self._row(now)
        cause = failures.cause_to_stop(
            self.sender, verdict, flows_since=row.closed_at, now=now, limits=self._limits
        )
        if not cause:
            return
        closed, probe_at = self._rows(opened_at=None), self._probe_after(0, now)
        if closed.update(opened_at=now, cause=cause, probes=0, probe_at=probe_at):
            logger.log(logging.WARNING if verdict.throttled else logging.ERROR, "mail is stopped: %s", cause)
        undo(verdict, now=now, until=now + self._limits.breaker_probe_max)

    def _probed(self, stopped_at: datetime, verdict: Verdict | None, now: datetime) -> None:
        stop = self._rows(opened_at=stopped_at)
        if verdict is None or not (verdict.kind is Kind.SENT or failures.blames_sender(verdict)):
            stop.update(probe_at=now)  # it told nothing about the sender; the next one may
        elif verdict.kind is Kind.SENT:
            with transaction.atomic(durable=True):
                if stop.update(opened_at=None, probe_at=None, closed_at=now):
                    drain.release(now=now, limits=self._limits)
                    logger.warning("mail flows again after %s", now - stopped_at)


def _fingerprint(server: MailServer, sender: Mailbox) -> str:
    """Tell configurations apart, without a trace of the password for who reads the table."""
    parts = (server.host, server.port, server.security, server.username, server.password, sender.address)
    return salted_hmac("project.mail.sender", repr(parts), algorithm="sha256").hexdigest()
