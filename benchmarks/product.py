"""The product's way: claim, then one attempt at each digest."""

from dataclasses import replace
from datetime import datetime
from uuid import uuid4

from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from project.limits import Limits
from project.mail_server import MailServer
from project.models import Wake
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from project.services.digests.draft import Letterhead


def outbox_for(url: str) -> Outbox:
    """An outbox like that of a worker, for the mail server at `url`."""
    letterhead = Letterhead(settings.NOTIFY_FROM, settings.SITE_URL)
    return Outbox(MailServer.from_url(url), letterhead, settings.LIMITS)


#: Each issue has a mail of its own, however many there are: what is measured is mails.
APART = replace(settings.LIMITS, rollup_above=10**6)


def claim_all(limits: Limits = APART) -> list[Wake]:
    """Claim batch by batch until nothing is left, as the stacker does."""
    wakes: list[Wake] = []
    while batch := claim(now=_when_all_is_due(), limits=limits):
        wakes += batch
    return wakes


def deliver_all(wakes: list[Wake], outbox: Outbox) -> None:
    """Do one attempt at each digest."""
    for wake in wakes:
        deliver(wake.row_id, wake.dispatch, owner=uuid4(), outbox=outbox, clock=timezone.now)


def queries_of_a_claim() -> tuple[list[Wake], int]:
    """One batch, and the statements it took; BEGIN and COMMIT are not counted."""
    with CaptureQueriesContext(connection) as captured:
        wakes = claim(now=_when_all_is_due(), limits=APART)
    return wakes, _statements(captured)


def queries_of_a_digest(wake: Wake, outbox: Outbox) -> int:
    """Statements of one delivery; BEGIN and COMMIT are not counted."""
    with CaptureQueriesContext(connection) as captured:
        deliver_all([wake], outbox)
    return _statements(captured)


def _statements(captured: CaptureQueriesContext) -> int:
    return sum(query["sql"] not in {"BEGIN", "COMMIT"} for query in captured)


def _when_all_is_due() -> datetime:
    return timezone.now() + settings.LIMITS.window_cap
