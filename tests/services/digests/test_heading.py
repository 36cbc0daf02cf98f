"""The heading of mails that are about no single issue."""

from datetime import timedelta
from uuid import uuid4

import pytest

from project.models import EmailDigest, UnsubscribeToken
from project.services.digests.compose import Content
from project.services.digests.heading import heading_of
from project.services.digests.message import Extra
from project.services.digests.reason import Reason
from project.services.digests.thread import thread_of
from project.services.digests.way_out import way_out
from tests.services.digests.lines import NOW
from tests.services.digests.sending import LETTERHEAD

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
SITE = LETTERHEAD.site_url


def test_a_mail_that_gathers_a_workspace_has_a_thread_for_each_day_of_its_receiver(team) -> None:
    def headed(hours: int) -> tuple[str, str, str]:
        digest = EmailDigest(
            id=uuid4(), receiver=bob, kind="rollup", workspace=team.workspace, created_at=NOW + hours * HOUR
        )
        thread = thread_of(digest, "tracker.example")
        content = Content("Updates", "", "", "", unsubscribe_url=way_out(digest, SITE))
        heading = heading_of(digest, content, thread, domain="tracker.example", mailto="", keeps_ids=True)
        assert heading.references == (thread.root,)
        return thread.root, heading.unsubscribe[0], heading.extra[Extra.LIST_ID]

    bob = team.members["bob"]
    bob.user_timezone = "Asia/Tokyo"  # NOW is nine in the evening there
    first, same_day, next_day = headed(0), headed(2), headed(4)
    assert first == same_day
    assert first[0] != next_day[0]
    assert first[1:] == next_day[1:]
    assert first[2] == f"<{team.workspace.id.hex[:12]}.acme.tracker.example>"
    assert UnsubscribeToken.objects.get().workspace == team.workspace


def test_a_mail_about_an_export_stands_alone_and_can_be_stopped_too(team) -> None:
    digest = EmailDigest(id=uuid4(), receiver=team.members["bob"], kind="export", workspace=team.workspace)
    thread = thread_of(digest, "tracker.example")
    content = Content("Export", "", "", "", Reason.EXPORT, way_out(digest, SITE))
    heading = heading_of(digest, content, thread, domain="tracker.example", mailto="", keeps_ids=True)
    assert (thread.previous, thread.subject) == ("", "")
    assert heading.extra[Extra.REASON] == "export"
    assert heading.extra[Extra.FEEDBACK_ID].startswith("export:")
    token = UnsubscribeToken.objects.get()
    assert (token.issue, token.workspace) == (None, None)
