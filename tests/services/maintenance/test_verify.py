"""Each check finds the break it is for, and a healthy flow has none."""

from collections.abc import Callable
from datetime import time, timedelta
from uuid import uuid4

import pytest

from project.limits import Limits
from project.models import (
    DigestKind,
    DigestStatus,
    EmailDigest,
    EmailDigestLine,
    EmailNotificationLog,
    IssueEvent,
    MailMode,
    MailSchedule,
    Notification,
)
from project.services.digests.claim import claim
from project.services.maintenance.verify import verify
from project.services.maintenance.verify_mail import BROKEN, LATE
from tests.factories import Team, make_issue, make_team
from tests.services.digests.lines import NOW, make_activity, make_log

pytestmark = pytest.mark.django_db
LIMITS = Limits()
LONG_AGO = NOW - timedelta(hours=2)


@pytest.fixture
def team() -> Team:
    team = make_team()
    issue = make_issue(team)
    make_log(team.members["bob"], make_activity(issue, team.members["ann"]))
    claim(now=NOW, limits=LIMITS)
    return team


def found() -> set[str]:
    return {finding.check.name for finding in verify(now=NOW, limits=LIMITS)}


def claimed_without_digest(team: Team) -> None:
    EmailDigestLine.objects.all().delete()
    EmailDigest.objects.all().delete()


def unclaimed_in_digest(team: Team) -> None:
    EmailNotificationLog.objects.update(processed_at=None, created_at=NOW)


def digest_without_lines(team: Team) -> None:
    EmailDigest.objects.create(id=uuid4(), receiver=team.members["bob"], enqueued_at=NOW, due_at=NOW)


def rollup_of_two_workspaces(team: Team) -> None:
    other = make_issue(make_team("beta", names=("zoe",)))
    EmailDigest.objects.update(kind=DigestKind.ROLLUP, issue=None)
    EmailNotificationLog.objects.update(entity_identifier=other.id)


def sent_without_mail(team: Team) -> None:
    EmailNotificationLog.objects.update(sent_at=NOW)


def mail_without_sent(team: Team) -> None:
    EmailDigest.objects.update(
        status=DigestStatus.SENT, ended_at=NOW, dot_at=NOW, sealed_at=NOW, content=b"mail"
    )


def one_cause_twice(team: Team) -> None:
    log = EmailNotificationLog.objects.get()
    log.pk, log.processed_at, log.created_at = uuid4(), None, NOW
    log.save(force_insert=True)


def one_notification_twice(team: Team) -> None:
    for _ in range(2):
        Notification.objects.create(
            workspace=team.workspace,
            receiver=team.members["bob"],
            entity_name="issue",
            title="",
            sender="",
            data={"issue_activity": {"id": "same"}},
        )


def late_event(team: Team) -> None:
    place = {"workspace": team.workspace, "project": team.project, "issue": make_issue(team)}
    IssueEvent.objects.create(**place, kind="x", activity_ids=[uuid4()], enqueued_at=LONG_AGO)


def late_line(team: Team) -> None:
    issue = make_issue(team)
    make_log(team.members["bob"], make_activity(issue, team.members["ann"]), created_at=LONG_AGO)


@pytest.mark.parametrize(
    ("break_it", "check"),
    [
        (claimed_without_digest, "claimed_line_has_digest"),
        (unclaimed_in_digest, "digest_line_is_claimed"),
        (digest_without_lines, "digest_has_lines"),
        (lambda t: EmailNotificationLog.objects.update(receiver=t.members["eve"]), "digest_lines_share_receiver"),
        (rollup_of_two_workspaces, "rollup_has_one_workspace"),
        (sent_without_mail, "sent_line_has_sent_mail"),
        (mail_without_sent, "sent_line_has_sent_mail"),
        (one_cause_twice, "one_line_per_cause"),
        (one_notification_twice, "one_notification_per_cause"),
        (late_event, "event_fans_out_in_time"),
        (late_line, "line_is_claimed_in_time"),
        (lambda _: EmailDigest.objects.update(due_at=LONG_AGO), "digest_ends_in_time"),
    ],
)  # fmt: skip
def test_a_break_is_found_by_its_check_and_by_no_other(team: Team, break_it: Callable, check: str):
    assert found() == set()
    break_it(team)
    assert found() == {check}


def test_every_check_is_broken_above():
    (mark,) = [m for m in test_a_break_is_found_by_its_check_and_by_no_other.pytestmark if m.args]
    assert {case[1] for case in mark.args[1]} == {check.name for check in (*BROKEN, *LATE)}


def test_a_finding_counts_all_and_shows_a_few(team: Team):
    for _ in range(7):
        late_line(team)
    (finding,) = verify(now=NOW, limits=LIMITS)
    assert (finding.count, len(finding.sample)) == (7, 5)
    assert set(finding.sample) <= set(EmailNotificationLog.objects.values_list("id", flat=True))


def test_a_line_behind_another_mail_about_its_issue_is_not_late_before_that_is_over(team: Team):
    before = EmailDigest.objects.get().issue
    make_log(team.members["bob"], make_activity(before, team.members["ann"]), created_at=LONG_AGO)
    EmailDigest.objects.update(due_at=NOW + timedelta(hours=8))
    assert found() == set()
    long_over = NOW - LIMITS.line_wait - LIMITS.patience - timedelta(hours=1)
    EmailDigest.objects.update(status="suppressed", reason="read", ended_at=long_over)
    assert found() == {"line_is_claimed_in_time"}


@pytest.mark.parametrize(
    ("wish", "hours"),
    [
        ({"mode": MailMode.DAILY}, 26),
        ({"quiet_from": time(22), "quiet_until": time(7)}, 26),
        ({"mode": MailMode.DAILY, "quiet_from": time(22), "quiet_until": time(7)}, 51),
        ({"mode": MailMode.INSTANT}, 1),
    ],
)
def test_a_line_that_its_receiver_lets_wait_is_not_late_before(team: Team, wish: dict, hours: int):
    late_line(team)
    MailSchedule.objects.create(user=team.members["bob"], **wish)
    lines = EmailNotificationLog.objects.filter(processed_at=None)
    lines.update(created_at=NOW - timedelta(hours=hours - 1))
    assert found() == set()
    lines.update(created_at=NOW - timedelta(hours=hours))
    assert found() == {"line_is_claimed_in_time"}
