"""An issue is gone for good, and its mail is still on record: counted, listed, explained, not sent again."""

from datetime import timedelta

import pytest
from django.urls import reverse

from project.limits import Limits
from project.models import DigestStatus, EmailDigest, EmailNotificationLog, Issue, Notification
from project.services.digests.claim import claim
from project.services.maintenance.hard_delete import hard_delete
from project.services.maintenance.old_records import remove_old_records
from project.services.maintenance.purge import Purge
from project.services.notifications.fan_out import fan_out
from tests.admin.staff import operator, signed_in
from tests.factories import make_issue, make_team
from tests.management.ran import run
from tests.services.notifications.events import COMMENTED, NOW, make_event

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("clean_up", "title"), [(hard_delete, "an issue that was removed"), (remove_old_records, "ACME-1")]
)
def test_what_is_left_can_still_be_told(clean_up, title):
    team, limits = make_team(), Limits()
    issue = make_issue(team, subscribers=[team.members["bob"]])
    make_issue(team)
    fan_out(make_event(issue, team.members["ann"], COMMENTED).id, 1, now=NOW, limits=limits)
    claim(now=NOW + timedelta(minutes=10), limits=limits)
    EmailDigest.objects.update(status=DigestStatus.FAILED, reason="no such mailbox", ended_at=NOW)
    Issue.objects.filter(id=issue.id).update(deleted_at=NOW)

    purge = Purge(limits=limits, clock=lambda: NOW + timedelta(days=100))
    clean_up(purge)
    assert purge.deleted["issue_events"] == 1

    digest = EmailDigest.objects.get(receiver=team.members["bob"])
    log, note = (
        model.objects.get(receiver=team.members["bob"]) for model in (EmailNotificationLog, Notification)
    )
    for noun, row in (("digest", digest), ("log", log), ("notification", note)):
        told = run("explain", noun, row.id)
        assert told.startswith(f"{title} for bob")
        assert "no such mailbox" in told
    assert "will be suppressed 1" in run("digests", "requeue", digest.id)
    assert "nothing is broken" in run("verify")
    client = operator()
    for name in ("emaildigest", "emailnotificationlog", "notification"):
        found = client.get(reverse(f"admin:project_{name}_changelist"), {"q": "bob@acme.example"})
        assert found.context["cl"].result_count == 1
    assert "Fix the door" in signed_in(team.members["bob"]).get("/acme/inbox/").content.decode()
