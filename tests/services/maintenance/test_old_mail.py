"""The record of a mail goes as a whole, and only when nothing more will come of it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from project.limits import Limits
from project.models import (
    DigestStatus,
    EmailDigest,
    EmailNotificationLog,
    Issue,
    IssueActivity,
    SuppressedAddress,
)
from project.services.maintenance.old_mail import remove_old_mail
from project.services.maintenance.purge import Purge
from project.services.maintenance.verify import verify
from tests.factories import Team, make_issue, make_team
from tests.services.maintenance.world import LONG_AGO, NOW, counts, make_mail

pytestmark = pytest.mark.django_db(transaction=True)
OLD = LONG_AGO + Limits().mail_kept


@pytest.fixture
def team() -> Team:
    return make_team()


def mail(team: Team, **fields: Any) -> EmailDigest:
    issue = Issue.objects.first() or make_issue(team)
    activity = IssueActivity.objects.create(workspace=team.workspace, project=team.project, issue=issue)
    return make_mail(team, issue, activity, **fields)


def unsent(status: DigestStatus) -> dict[str, Any]:
    return {"status": status, "reason": "why", "dot_at": None}


def purged(now=OLD, **limits: Any) -> Purge:
    purge = Purge(limits=replace(Limits(), **limits), clock=lambda: now)
    remove_old_mail(purge)
    return purge


def test_a_mail_goes_with_its_lines_and_what_it_taught_stays(team):
    digest = mail(team)
    SuppressedAddress.objects.create(address="a@b.c", reason="full", source=digest, evidence="", since=NOW)
    assert str(purged(OLD - timedelta(seconds=1))) == "nothing to delete"
    assert str(purged()) == "deleted email_digest_lines 1, email_digests 1, email_notification_logs 1"
    assert SuppressedAddress.objects.get().source is None
    assert verify(now=LONG_AGO, limits=Limits()) == []


@pytest.mark.parametrize(
    ("fields", "goes"),
    [
        ({"status": DigestStatus.SENT_ASSUMED, "reason": "no answer"}, True),
        (unsent(DigestStatus.SUPPRESSED), True),
        (unsent(DigestStatus.FAILED), True),
        (unsent(DigestStatus.EXPIRED), True),
        ({"status": DigestStatus.HELD, "reason": "no answer"}, False),
        ({"status": DigestStatus.WAITING, "ended_at": None, "dot_at": None}, False),
        ({"ended_at": OLD - Limits().mail_kept + timedelta(seconds=1)}, False),
    ],
)
def test_only_what_ended_goes(team, fields, goes):
    mail(team, **fields)
    purged()
    assert EmailDigest.objects.exists() is EmailNotificationLog.objects.exists() is not goes


def test_a_line_that_was_deleted_before_it_was_claimed_goes_and_a_waiting_one_stays(team):
    mail(team)
    log = EmailNotificationLog.objects.get()
    for deleted_at in (None, LONG_AGO):
        log.pk, log.processed_at, log.sent_at, log.deleted_at = None, None, None, deleted_at
        log.save(force_insert=True)
    assert purged().deleted["email_notification_logs"] == 2
    assert [log.deleted_at for log in EmailNotificationLog.all_objects.all()] == [None]


def test_what_is_requeued_in_between_is_not_deleted(team):
    digest = mail(team, **unsent(DigestStatus.FAILED))
    purge = Purge(limits=Limits(), clock=lambda: OLD)
    rows = EmailDigest.objects.filter(status=DigestStatus.FAILED)
    (keys,) = purge.batches(rows)
    EmailDigest.objects.update(status=DigestStatus.WAITING, ended_at=None)
    assert purge.remove(rows, keys) == 0
    assert EmailDigest.objects.get() == digest


def test_a_mail_that_cannot_be_deleted_stays_whole(team):
    digests = [mail(team) for _ in range(5)]
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE newcomers (digest_id uuid REFERENCES email_digests)")
        cursor.execute("INSERT INTO newcomers VALUES (%s)", [digests[2].id])
    try:
        assert purged(purge_batch=4).failed == {"email_digests": {digests[2].id}}
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE newcomers")
    left = {name: number for name, number in counts().items() if name.startswith("Email")}
    assert left == {"EmailDigest": 1, "EmailDigestLine": 1, "EmailNotificationLog": 1}
    assert verify(now=LONG_AGO, limits=Limits()) == []
