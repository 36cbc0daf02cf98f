"""From the link in a mail to the mails that are not sent any more, and back."""

import re
from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.test import Client

from project.mail_server import MailServer
from project.models import DigestStatus, EmailDigest, MailStop
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from tests.conftest import SmtpSink
from tests.factories import Team, make_issue, make_team
from tests.management.ran import run
from tests.services.digests.lines import NOW, make_activity, make_log
from tests.services.digests.sending import LETTERHEAD, LIMITS

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def outbox(smtp_sink: SmtpSink) -> Iterator[Outbox]:
    cache.clear()
    outbox = Outbox(MailServer.from_url(smtp_sink.url), LETTERHEAD, LIMITS)
    yield outbox
    outbox.connections.close()


@pytest.fixture
def team() -> Team:
    return make_team()


def one_click(sink: SmtpSink, **fields: str) -> Client:
    """What a mail program does, by the header of the newest mail."""
    link = re.fullmatch(r"<https://tracker\.example(/.*)>", sink.messages[-1]["List-Unsubscribe"])
    assert link is not None
    name, _, value = sink.messages[-1]["List-Unsubscribe-Post"].partition("=")
    assert Client(enforce_csrf_checks=True).post(link[1], {name: value, **fields}).status_code == 200
    client = Client()
    client.force_login(MailStop.objects.latest("at").token.receiver)
    return client


@pytest.mark.parametrize(
    ("scope", "reason", "explained"),
    [
        ({}, "muted", "muted the issue since"),
        ({"scope": "project"}, "preference_off:property_change", "`property_change` of the project is off"),
        ({"scope": "all"}, "mode_off", "wants no mail at all since"),
    ],
)
def test_what_is_stopped_is_not_mailed_until_it_is_taken_back(
    team, outbox, smtp_sink, scope, reason, explained
) -> None:
    issue = make_issue(team)

    def change(hours: int) -> None:
        """Let something be told at that time."""
        now = NOW + timedelta(hours=hours)
        activity = make_activity(issue, team.members["ann"], new_value=f"after {hours}")
        make_log(team.members["bob"], activity, created_at=now - timedelta(minutes=6))
        for row_id, dispatch in claim(now=now, limits=LIMITS):
            deliver(row_id, dispatch, owner=uuid4(), outbox=outbox, clock=lambda: now)

    change(0)
    client = one_click(smtp_sink, **scope)

    change(1)
    stopped = EmailDigest.objects.exclude(status=DigestStatus.SENT).get()
    assert (stopped.status, stopped.reason) == (DigestStatus.SUPPRESSED, reason)
    told = " ".join(run("explain", "digest", stopped.id).split())
    assert explained in told
    assert "(unsubscribed by the link in a mail)" in told
    assert len(smtp_sink.messages) == 1

    stop = MailStop.objects.get()
    client.post(f"/acme/settings/account/notifications/stops/{stop.id}/")
    change(2)
    assert len(smtp_sink.messages) == 2
    first, second = smtp_sink.messages
    assert first["List-Unsubscribe"] == second["List-Unsubscribe"]
