"""One way to claim and deliver, at a fixed time."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

from project.limits import Limits
from project.mail_server import Mailbox
from project.models import EmailNotificationLog
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from project.services.digests.draft import Letterhead
from tests.factories import Team, make_issue
from tests.services.digests.lines import NOW, make_activity, make_log

LIMITS = replace(Limits(), rollup_above=1000)  # a mail for each issue, so that tests can count them
LETTERHEAD = Letterhead(Mailbox("Tracker", "notify@tracker.example"), "https://tracker.example")


def send(outbox: Outbox, wakes: Iterable[tuple[UUID, int]] | None = None) -> None:
    """Deliver `wakes`, by default those of a claim."""
    for row_id, dispatch in wakes if wakes is not None else claim(now=NOW, limits=LIMITS):
        deliver(row_id, dispatch, owner=uuid4(), outbox=outbox, clock=lambda: NOW)


def changed(team: Team, *, receiver: str = "bob", **fields: Any) -> EmailNotificationLog:
    """A waiting line: ann changed an issue, by default a new one, and `receiver` is to be told."""
    issue = fields.pop("issue", None) or make_issue(team)
    return make_log(team.members[receiver], make_activity(issue, team.members["ann"], **fields))
