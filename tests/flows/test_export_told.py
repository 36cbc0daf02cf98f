"""An export whose worker is killed, and whose message comes again: one notification, one mail."""

import signal
import subprocess
import sys
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.utils import timezone

from project.mail_server import MailServer
from project.models import EmailNotificationLog, Notification
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox
from tests.conftest import SmtpSink
from tests.factories import make_team
from tests.services.digests.sending import LETTERHEAD, send
from tests.services.exports.crowd import make_issues
from tests.services.exports.exporting import LIMITS, make, requested
from tests.services.exports.meanwhile import until
from tests.services.exports.test_killed import WORKER, environ
from tests.tcp_proxy import running

pytestmark = pytest.mark.django_db(transaction=True)


def test_killed_and_delivered_again_it_is_told_once(smtp_sink: SmtpSink) -> None:
    team = make_team()
    make_issues(team, 600, size=12_000)
    export = requested(team)
    port = urlsplit(settings.OBJECT_STORE.endpoint).port
    assert port
    with running(port) as proxy:
        proxy.hold_after = 2_000_000
        command = [sys.executable, "-c", WORKER, str(export.id)]
        with subprocess.Popen(command, env=environ(proxy.port), cwd=settings.BASE_DIR) as worker:
            until(lambda: proxy.holds, seconds=40)
            worker.send_signal(signal.SIGKILL)
    assert not Notification.objects.exists()
    for _ in range(3):
        assert make(export).status == "completed"
    assert (Notification.objects.count(), EmailNotificationLog.objects.count()) == (1, 1)
    outbox = Outbox(MailServer.from_url(smtp_sink.url), LETTERHEAD, LIMITS)
    for _ in range(3):
        send(outbox, 2 * claim(now=timezone.now() + timedelta(seconds=31), limits=LIMITS))
    outbox.connections.close()
    (mail,) = smtp_sink.messages
    assert mail["Subject"] == "Your CSV export of Rocket is ready"
    body = mail.get_body(("plain",))
    assert body
    assert "holds 600 issues" in body.get_content()
