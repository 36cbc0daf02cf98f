"""What the tests of the mail half share: a team, and an outbox to a real server."""

from collections.abc import Iterator

import pytest

from project.mail_server import MailServer
from project.services.digests.deliver import Outbox
from tests.conftest import SmtpSink
from tests.factories import Team, make_team
from tests.services.digests.sending import LETTERHEAD, LIMITS


@pytest.fixture
def outbox(smtp_sink: SmtpSink) -> Iterator[Outbox]:
    outbox = Outbox(MailServer.from_url(smtp_sink.url), LETTERHEAD, LIMITS)
    yield outbox
    outbox.connections.close()


@pytest.fixture
def team() -> Team:
    return make_team()
