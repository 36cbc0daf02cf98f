"""A roll-up on its way: what of it may be mailed, in which order, in one thread a day, and when it waits."""

from datetime import UTC, datetime, time, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from project.limits import Limits
from project.models import (
    DigestKind,
    DigestStatus,
    EmailDigestLine,
    EmailNotificationLog,
    Issue,
    IssueActivity,
    IssueMute,
    MailMode,
    MailSchedule,
    Notification,
    ProjectMember,
    UnsubscribeToken,
    UserNotificationPreference,
    Wake,
)
from project.services.digests.claim import claim
from project.services.digests.content import content_of
from project.services.digests.context import load
from project.services.digests.deliver import deliver
from project.services.digests.message import thread_root
from project.services.digests.recheck import left_out
from tests.factories import make_comment, make_issue, make_team
from tests.services.digests.lines import NOW, make_activity, make_log, only_digest
from tests.services.digests.sending import LETTERHEAD, changed
from tests.services.digests.sending import send as deliver_all

pytestmark = pytest.mark.django_db(transaction=True)
LIMITS = Limits()


def send(outbox, wakes=None) -> None:
    """Deliver `wakes`, by default those of a claim."""
    deliver_all(outbox, claim(now=NOW, limits=LIMITS) if wakes is None else wakes)


def issues_of(team, number: int) -> list[Issue]:
    """So many new issues, of each of which a change of the priority waits to be mailed to bob."""
    issues = [make_issue(team, name=f"Issue {n}") for n in range(number)]
    for n, issue in enumerate(issues):
        activity = make_activity(issue, team.members["ann"], created_at=NOW - timedelta(minutes=60 - n))
        make_log(team.members["bob"], activity)
    return issues


def text(mail) -> str:
    return mail.get_body(("plain",)).get_content().replace("\r\n", "\n")


def reasons() -> list[str]:
    return sorted(line.suppressed for line in EmailDigestLine.objects.all())


def test_one_mail_tells_of_all_issues_the_newest_first_and_mentions_before_them(team, outbox, smtp_sink):
    issues = issues_of(team, 4)
    comment = make_comment(issues[1], team.members["ann"], _mentioning(team.members["bob"]))
    activity = make_activity(
        issues[1], team.members["ann"], field="comment", verb="created", new_value=comment.comment_html,
        issue_comment=comment, new_identifier=comment.id,
    )  # fmt: skip
    MailSchedule.objects.create(
        user=team.members["bob"], mode=MailMode.DAILY, daily_at=time(11, 58), mentions_at_once=False
    )
    make_log(team.members["bob"], activity, mention=True, created_at=NOW - timedelta(minutes=61))
    send(outbox)
    (mail,) = smtp_sink.messages
    assert mail["Subject"] == "[Acme] Updates, 10 Mar 2026"
    told = [
        line.split(":")[0] for line in text(mail).split("\n") if line.startswith("ACME-") and ": " in line
    ]
    assert told == ["ACME-2", "ACME-4", "ACME-3", "ACME-1"]
    assert only_digest().status == DigestStatus.SENT
    assert not EmailNotificationLog.objects.filter(sent_at=None).exists()


def _mentioning(person) -> str:
    return (
        f'<p>look <mention-component entity_identifier="{person.id}" entity_name="user_mention">'
        "</mention-component></p>"
    )


def test_each_issue_is_checked_for_itself(team, outbox, smtp_sink):
    bob = team.members["bob"]
    other = make_team("other", ["fred"]).project
    hidden, gone, deleted, muted, read, silent, seen = issues_of(team, 7)
    wakes = claim(now=NOW, limits=LIMITS)
    Issue.objects.filter(id=hidden.id).update(project=other, workspace=other.workspace)
    log = EmailNotificationLog.objects.get(entity_identifier=gone.id)
    EmailNotificationLog.objects.filter(id=log.id).update(entity_identifier=uuid4())
    Issue.objects.filter(id=deleted.id).update(deleted_at=NOW)
    IssueMute.objects.create(user=bob, issue=muted)
    was_read(EmailNotificationLog.objects.get(entity_identifier=read.id))
    UserNotificationPreference.objects.create(user=bob, property_change=True, state_change=False)
    line = EmailNotificationLog.objects.get(entity_identifier=silent.id)
    activity_of(line).update(field="state", new_value="Started", new_identifier=team.states["started"].id)
    send(outbox, wakes)
    (mail,) = smtp_sink.messages
    assert f"ACME-{seen.sequence_id}: Issue 6" in text(mail)
    for issue in (hidden, gone, deleted, muted, read, silent):
        assert issue.name not in mail.as_string()
    assert reasons() == [
        "", "issue_deleted", "issue_gone", "muted", "no_access", "preference_off:state_change", "read",
    ]  # fmt: skip
    assert EmailNotificationLog.objects.filter(sent_at__isnull=False).count() == 1


def was_read(log: EmailNotificationLog) -> None:
    """Let the receiver have read of it in the inbox."""
    issue = Issue.objects.get(id=log.entity_identifier)
    Notification.objects.create(
        workspace=issue.workspace, receiver=log.receiver, entity_identifier=issue.id, entity_name="issue", title="",
        sender="", read_at=NOW, data=log.data,
    )  # fmt: skip


def activity_of(log: EmailNotificationLog):
    return IssueActivity.objects.filter(id=log.data["issue_activity"]["id"])


def test_a_roll_up_of_which_one_issue_is_left_is_a_mail_about_that_issue(team, outbox, smtp_sink):
    bob = team.members["bob"]
    left, *others = issues_of(team, 4)
    for issue in others:
        IssueMute.objects.create(user=bob, issue=issue)
    send(outbox)
    (mail,) = smtp_sink.messages
    assert mail["Subject"] == "[ACME-1] Issue 0"
    assert mail["References"] == thread_root(bob.id, left.id, LETTERHEAD.sender.domain)
    assert UnsubscribeToken.objects.get().issue == left
    assert f"{UnsubscribeToken.objects.get().token}/>" in mail["List-Unsubscribe"]
    assert (only_digest().kind, only_digest().issue) == (DigestKind.ROLLUP, None)


def test_a_roll_up_of_which_nothing_is_left_ends_with_the_reason(team, outbox, smtp_sink):
    issues_of(team, 4)
    ProjectMember.objects.filter(member=team.members["bob"]).update(is_active=False)
    send(outbox)
    assert smtp_sink.messages == []
    digest = only_digest()
    assert (digest.kind, digest.status, digest.reason) == (
        DigestKind.ROLLUP,
        DigestStatus.SUPPRESSED,
        "no_access",
    )


def test_the_roll_ups_of_a_day_are_one_thread(team, outbox, smtp_sink):
    for _ in range(2):
        issues_of(team, 4)
        send(outbox)
    first, second = smtp_sink.messages
    assert first["References"] == second["References"]
    assert first["Subject"] == second["Subject"]


def test_an_act_on_many_issues_is_told_in_one_line(team, outbox, smtp_sink):
    bulk = str(uuid4())
    done = {"field": "state", "old_value": "Backlog", "new_value": "Done"}
    for log in [changed(team, **done, new_identifier=team.states["completed"].id) for _ in range(40)]:
        log.data["issue_activity"]["bulk_id"] = bulk
        log.save()
    send(outbox)
    (mail,) = smtp_sink.messages
    assert (
        "* ann changed the state of 40 issues to Done\n  ACME-40, ACME-39, ACME-38, ACME-37, ACME-36 and 35 more"
        in text(mail)
    )


def test_the_number_of_queries_does_not_grow_with_the_issues(team):
    def queries(number: int) -> int:
        issues_of(team, number)
        (wake,) = claim(now=NOW, limits=LIMITS)
        with CaptureQueriesContext(connection) as captured:
            context = load(wake.row_id)
            content_of(context, left_out(context, limits=LIMITS), "https://tracker.example")
        return len(captured)

    queries(4)  # the way out is made with the first mail
    assert queries(4) == queries(30) <= 10


NIGHT = {"quiet_from": time(11), "quiet_until": time(14)}  # NOW is twelve o'clock


@pytest.mark.parametrize(
    ("schedule", "mention", "until", "why"),
    [
        (NIGHT, "", NOW.replace(hour=14), "waits: quiet hours until 14:00 UTC"),
        (NIGHT, "mailed", None, ""),
        (NIGHT, "read", NOW.replace(hour=14), "waits: quiet hours until 14:00 UTC"),
        (
            {**NIGHT, "mentions_at_once": False},
            "mailed",
            NOW.replace(hour=14),
            "waits: quiet hours until 14:00 UTC",
        ),
        (
            {"mode": "daily", "daily_at": time(18)},
            "",
            NOW.replace(hour=18),
            "waits: the daily mail at 18:00 UTC",
        ),
        ({"mode": "daily", "daily_at": time(18)}, "mailed", None, ""),
        (
            {"mode": "daily", "daily_at": time(18)},
            "read",
            NOW.replace(hour=18),
            "waits: the daily mail at 18:00 UTC",
        ),
        ({"mode": "daily", "daily_at": time(11, 58)}, "", None, ""),  # it came before that
        ({"mode": "instant"}, "", None, ""),
    ],
)
def test_what_the_receiver_wants_is_asked_again_before_each_attempt(
    team, outbox, smtp_sink, schedule, mention, until, why
):
    """The wish came after the claim: the mail waits for the time that was wished for, and is sent then.

    A mention that is not mailed hurries nothing.
    """
    issue = make_issue(team)
    make_log(team.members["bob"], make_activity(issue, team.members["ann"]))
    if mention:
        log = make_log(
            team.members["bob"], make_activity(issue, team.members["ann"], field="name"), mention=True
        )
    (wake,) = claim(now=NOW, limits=LIMITS)
    if mention == "read":
        was_read(log)
    MailSchedule.objects.create(user=team.members["bob"], **schedule)
    send(outbox, [wake])
    digest = only_digest()
    if until is None:
        assert (digest.status, len(smtp_sink.messages)) == (DigestStatus.SENT, 1)
        return
    assert smtp_sink.messages == []
    assert (digest.status, digest.due_at, digest.answer) == (DigestStatus.WAITING, until, why)
    assert (digest.dispatch, digest.failures, digest.sealed_at) == (wake.dispatch + 1, 0, None)
    for now, mails in ((until - timedelta(seconds=1), 0), (until, 1)):
        again = Wake(digest.id, only_digest().dispatch)
        deliver(*again, owner=uuid4(), outbox=outbox, clock=lambda now=now: now)
        assert len(smtp_sink.messages) == mails
    assert only_digest().status == DigestStatus.SENT


def test_who_wants_no_mail_gets_none_and_the_digest_says_so(team, outbox, smtp_sink):
    changed(team)
    MailSchedule.objects.create(user=team.members["bob"], mode=MailMode.OFF)
    send(outbox)
    assert smtp_sink.messages == []
    assert (only_digest().status, only_digest().reason) == (DigestStatus.SUPPRESSED, "mode_off")


def test_a_muted_issue_is_not_mailed_about_not_even_a_mention(team, outbox, smtp_sink):
    issue = make_issue(team)
    make_log(team.members["bob"], make_activity(issue, team.members["ann"]), mention=True)
    IssueMute.objects.create(user=team.members["bob"], issue=issue)
    send(outbox)
    assert smtp_sink.messages == []
    assert (only_digest().status, only_digest().reason) == (DigestStatus.SUPPRESSED, "muted")


def test_what_waited_too_long_before_its_claim_is_not_mailed_and_what_is_put_off_later_is(
    team, outbox, smtp_sink
):
    issue = make_issue(team)
    old, young = NOW - LIMITS.line_ttl - timedelta(seconds=1), NOW - LIMITS.line_ttl
    make_log(team.members["bob"], make_activity(issue, team.members["ann"]), created_at=young)
    make_log(team.members["bob"], make_activity(issue, team.members["ann"], field="name"), created_at=old)
    wakes = claim(now=NOW, limits=LIMITS)
    much_later = datetime(2027, 1, 1, tzinfo=UTC)
    for row_id, dispatch in wakes:
        deliver(row_id, dispatch, owner=uuid4(), outbox=outbox, clock=lambda: much_later)
    (mail,) = smtp_sink.messages
    assert "Priority" in text(mail)
    assert "Title" not in text(mail)
    assert reasons() == ["", "too_old"]
