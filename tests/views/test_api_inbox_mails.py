"""What was read in the inbox is not mailed: from the event to the mail server, and over HTTP in between."""

from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from project.limits import Limits
from project.mail_server import Mailbox, MailServer
from project.models import DigestStatus, EmailDigest, EmailDigestLine, Notification, User
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from project.services.digests.draft import Letterhead
from project.services.notifications.comments import create_comment
from project.services.notifications.fan_out import fan_out
from tests.conftest import SmtpSink
from tests.factories import Team, make_issue, make_team
from tests.views.api import by_token

pytestmark = pytest.mark.django_db

INBOX = "/api/workspaces/acme/users/notifications/"
LIMITS = Limits()
LETTERHEAD = Letterhead(Mailbox("Tracker", "notify@tracker.example"), "https://tracker.example")


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def outbox(smtp_sink: SmtpSink) -> Iterator[Outbox]:
    outbox = Outbox(MailServer.from_url(smtp_sink.url), LETTERHEAD, LIMITS)
    yield outbox
    outbox.connections.close()


@pytest.fixture
def said(team: Team) -> dict[str, UUID]:
    """Ann comments three times on an issue that bob follows; by text, the notification that tells him."""
    now, bob = timezone.now() - LIMITS.window_cap, team.members["bob"]
    issue = make_issue(team, subscribers=[bob])
    told = {}
    for text in ("First remark", "Second remark", "Third remark"):
        _, wakes = create_comment(issue.id, f"<p>{text}</p>", actor=team.members["ann"], now=now)
        for wake in wakes:
            fan_out(wake.row_id, wake.dispatch, now=now, limits=LIMITS)
        told[text] = Notification.objects.exclude(id__in=told.values()).get().id
    return told


def send_all(outbox: Outbox) -> None:
    now = timezone.now() + timedelta(seconds=1)
    for row_id, dispatch in claim(now=now, limits=LIMITS):
        deliver(row_id, dispatch, owner=uuid4(), outbox=outbox, clock=lambda: now)


def mailed(smtp_sink: SmtpSink, said: dict[str, UUID]) -> list[set[str]]:
    """What each mail tells."""
    bodies = [mail.get_body(("plain",)) for mail in smtp_sink.messages]
    return [{text for text in said if body and text in body.get_content()} for body in bodies]


def reads(user: User, notification: UUID) -> None:
    assert by_token(user).post(f"{INBOX}{notification}/read/").status_code == 200


def test_the_mail_tells_what_is_unread(
    team: Team, outbox: Outbox, smtp_sink: SmtpSink, said: dict[str, UUID]
) -> None:
    reads(team.members["bob"], said["Second remark"])
    send_all(outbox)
    assert mailed(smtp_sink, said) == [{"First remark", "Third remark"}]
    assert EmailDigestLine.objects.filter(suppressed="read").count() == 1


def test_nothing_is_mailed_once_all_is_read(
    team: Team, outbox: Outbox, smtp_sink: SmtpSink, said: dict[str, UUID]
) -> None:
    assert by_token(team.members["bob"]).post(f"{INBOX}mark-all-read/", {}, format="json").status_code == 200
    send_all(outbox)
    assert smtp_sink.messages == []
    digest = EmailDigest.objects.get()
    assert (digest.status, digest.reason) == (DigestStatus.SUPPRESSED, "read")


def test_what_is_marked_unread_again_is_mailed(
    team: Team, outbox: Outbox, smtp_sink: SmtpSink, said: dict[str, UUID]
) -> None:
    reads(team.members["bob"], said["First remark"])
    assert by_token(team.members["bob"]).delete(f"{INBOX}{said['First remark']}/read/").status_code == 200
    send_all(outbox)
    assert mailed(smtp_sink, said) == [{*said}]


def test_reading_after_the_mail_changes_nothing(
    team: Team, outbox: Outbox, smtp_sink: SmtpSink, said: dict[str, UUID]
) -> None:
    send_all(outbox)
    reads(team.members["bob"], said["First remark"])
    send_all(outbox)
    assert mailed(smtp_sink, said) == [{*said}]
