"""Many issues that are due for one person in one workspace are told in one mail."""

from dataclasses import replace
from datetime import datetime, time, timedelta
from uuid import uuid4

import pytest

from project.limits import Limits
from project.models import DigestKind, EmailDigest, EmailNotificationLog, Issue, MailMode, MailSchedule, User
from project.services.digests.claim import claim, digest_id
from project.services.digests.windows import Gathered, Wish, due
from project.services.digests.wording import zone_named
from tests.factories import Team, make_issue, make_team
from tests.services.digests.lines import NOW, ago, mailed, make_activity, make_log

pytestmark = pytest.mark.django_db(transaction=True)
LIMITS = Limits()


def lines_about(team: Team, issues: int, **fields: object) -> list[EmailNotificationLog]:
    """A line of bob's about each of so many new issues."""
    ann, bob = team.members["ann"], team.members["bob"]
    return [make_log(bob, make_activity(make_issue(team), ann), **fields) for _ in range(issues)]


def mails(now: datetime = NOW, limits: Limits = LIMITS) -> list[tuple[str, int]]:
    """The kinds of the digests that a claim makes, with the number of their lines."""
    wakes = claim(now=now, limits=limits)
    digests = EmailDigest.objects.filter(id__in=[wake.row_id for wake in wakes])
    return sorted((digest.kind, digest.lines.count()) for digest in digests)


@pytest.mark.parametrize(("issues", "made"), [(1, 1), (3, 3), (4, 1), (45, 1)])
def test_more_than_three_issues_make_one_mail(issues, made):
    team = make_team()
    logs = lines_about(team, issues)
    assert len(claim(now=NOW, limits=LIMITS)) == made
    digest = EmailDigest.objects.first()
    if made == 1 < issues:
        assert (digest.kind, digest.issue, digest.workspace) == (DigestKind.ROLLUP, None, team.workspace)
        assert digest.id == digest_id([log.id for log in logs])
    else:
        assert (digest.kind, digest.workspace) == (DigestKind.ISSUE, team.workspace)


def test_workspaces_are_never_mixed():
    here, there = make_team("here"), make_team("there")
    bob = here.members["bob"]
    lines_about(here, 4)
    for team, issues in ((there, 4), (make_team("third"), 2)):
        for _ in range(issues):
            make_log(bob, make_activity(make_issue(team), team.members["ann"]))
    claim(now=NOW, limits=LIMITS)
    told = {
        digest.workspace_id: {line.log.data["issue_activity"]["id"] for line in digest.lines.all()}
        for digest in EmailDigest.objects.filter(kind=DigestKind.ROLLUP)
    }
    assert set(told) == {here.workspace.id, there.workspace.id}
    assert EmailDigest.objects.filter(kind=DigestKind.ISSUE, receiver=bob).count() == 2


def test_a_mention_has_a_mail_of_its_own_and_the_rest_one_later():
    team = make_team()
    lines_about(team, 5, created_at=ago(30))
    lines_about(team, 1, created_at=ago(30), mention=True)
    assert mails() == [("issue", 1)]
    assert mails(NOW + timedelta(seconds=90)) == [("rollup", 5)]


def test_mentions_that_come_together_are_apart_from_the_rest_even_if_all_is_due():
    team = make_team()
    lines_about(team, 5)
    lines_about(team, 2, mention=True)
    assert mails() == [("issue", 1), ("issue", 1), ("rollup", 5)]
    lines_about(team, 4, mention=True)
    assert mails() == [("rollup", 4)]


def test_what_is_about_no_issue_is_in_no_roll_up():
    team = make_team()
    lines_about(team, 2)
    for _ in range(5):
        make_log(team.members["bob"], None, entity_identifier=uuid4())
    assert mails() == [("issue", 1)] * 7


@pytest.mark.parametrize("batch", [1, 2, 4, 5])
def test_a_batch_is_so_many_digests_whatever_belongs_together(batch):
    team = make_team()
    lines_about(team, 3, mention=True)
    lines_about(team, 12)
    limits = replace(LIMITS, claim_batch=batch)
    made = []
    while wakes := claim(now=NOW, limits=limits):
        made.append(len(wakes))
    assert made == [batch] * (4 // batch) + [4 % batch] * bool(4 % batch)
    assert not EmailNotificationLog.objects.filter(processed_at__isnull=True).exists()


def test_an_issue_is_not_in_two_mails_within_the_gap_but_for_mentions():
    team = make_team()
    ann, bob = team.members["ann"], team.members["bob"]
    issues = [make_issue(team) for _ in range(4)]
    for issue in issues:
        make_log(bob, make_activity(issue, ann))
    assert mails() == [("rollup", 4)]
    mailed(NOW)
    soon = NOW + timedelta(seconds=1)
    make_log(bob, make_activity(issues[0], ann), created_at=soon)
    assert mails(soon + LIMITS.window_idle) == []  # long quiet, but the roll-up told of it
    make_log(bob, make_activity(issues[0], ann), created_at=soon, mention=True)
    assert mails(soon + LIMITS.window_mention) == [("issue", 2)]
    make_log(bob, make_activity(issues[0], ann), created_at=soon)
    assert mails(NOW + LIMITS.window_gap) == [("issue", 1)]  # the mention did not count


@pytest.mark.parametrize("issues", [1, 4])
def test_the_gap_begins_with_the_mail_and_not_with_its_claim(issues):
    """A mail was put off for eight hours, and more happened to its issue meanwhile."""
    team = make_team()
    log, *_ = lines_about(team, issues)
    assert len(mails()) == 1
    morning = NOW + timedelta(hours=8)
    more = make_activity(Issue.objects.get(id=log.entity_identifier), team.members["ann"])
    make_log(log.receiver, more, created_at=NOW + timedelta(hours=1))
    assert mails(morning) == []  # it is on its way
    mailed(morning)
    assert mails(morning + LIMITS.window_gap - timedelta(seconds=1)) == []
    assert mails(morning + LIMITS.window_gap) == [("issue", 1)]


def test_a_mail_behind_the_fence_has_left_though_its_worker_died_before_the_answer():
    team = make_team()
    (log,) = lines_about(team, 1)
    claim(now=NOW, limits=LIMITS)
    passed = {"sealed_at": NOW, "content": b"frozen", "dot_at": NOW, "owner": uuid4(), "attempt": 1}
    EmailDigest.objects.update(status="fenced", started_at=NOW, **passed)
    more = make_activity(Issue.objects.get(id=log.entity_identifier), team.members["ann"])
    make_log(log.receiver, more, created_at=NOW)
    assert mails(NOW + LIMITS.window_gap - timedelta(seconds=1)) == []
    assert mails(NOW + LIMITS.window_gap) == [("issue", 1)]


def test_a_mail_that_was_suppressed_begins_no_gap():
    team = make_team()
    (log,) = lines_about(team, 1)
    claim(now=NOW, limits=LIMITS)
    EmailDigest.objects.update(status="suppressed", reason="read", ended_at=NOW)
    make_log(
        log.receiver, make_activity(EmailDigest.objects.get().issue, team.members["ann"]), created_at=NOW
    )
    assert mails(NOW + LIMITS.window_idle) == [("issue", 1)]


def test_the_daily_mail_is_one_for_each_workspace():
    team, other = make_team(), make_team("other")
    bob, nine = team.members["bob"], NOW.replace(hour=9) + timedelta(days=1)
    MailSchedule.objects.create(user=bob, mode=MailMode.DAILY, daily_at=time(9))
    lines_about(team, 2)
    for hours in (1, 12):
        make_log(
            bob,
            make_activity(make_issue(other), other.members["ann"]),
            created_at=NOW + timedelta(hours=hours),
        )
    assert mails(nine - timedelta(seconds=1)) == []
    late = lines_about(team, 1, created_at=nine + timedelta(seconds=5))
    assert mails(nine + timedelta(seconds=10)) == [("rollup", 2), ("rollup", 2)]
    assert mails(nine + timedelta(days=1)) == [("issue", len(late))]


def scheduled(user: User, zone: str, **schedule: object) -> Wish:
    User.objects.filter(id=user.id).update(user_timezone=zone)
    return Wish(MailSchedule.objects.create(user=user, **schedule), zone_named(zone))


def test_the_claim_takes_each_group_at_the_moment_that_the_windows_name():
    night = {"quiet_from": time(13), "quiet_until": time(14, 30)}
    wanted = [
        ("UTC", {}),
        ("UTC", {"mode": "instant"}),
        ("UTC", {"mode": "off", **night}),
        ("Europe/Berlin", night),
        ("Europe/Berlin", {"mode": "instant", **night}),
        ("Europe/Istanbul", {"mode": "daily", "daily_at": time(16)}),
        ("Mars/Phobos", {"mode": "daily", "daily_at": time(16)}),
        ("Europe/Berlin", {**night, "mentions_at_once": False}),
        ("Europe/Berlin", {"mode": "daily", "daily_at": time(12), "mentions_at_once": False}),
    ]
    team = make_team(names=["ann", *(f"m{number}" for number in range(2 * len(wanted)))])
    ann, *others = team.members.values()
    at: dict[object, datetime] = {}
    for (zone, schedule), plain, named in zip(wanted, others[::2], others[1::2], strict=True):
        for receiver, mention in ((plain, False), (named, True)):
            wish = scheduled(receiver, zone, **schedule)
            log = make_log(receiver, make_activity(make_issue(team), ann), created_at=NOW, mention=mention)
            gathered = Gathered(NOW, NOW, NOW if mention else None)
            at[digest_id([log.id])] = due(gathered, wish, now=NOW, limits=LIMITS).at
    for moment in sorted(set(at.values())):
        if moment > NOW:
            assert claim(now=moment - timedelta(microseconds=1), limits=LIMITS) == []
        claimed = {wake.row_id for wake in claim(now=moment, limits=LIMITS)}
        assert claimed == {digest for digest, due_at in at.items() if due_at == moment}
    assert not EmailNotificationLog.objects.filter(processed_at__isnull=True).exists()
