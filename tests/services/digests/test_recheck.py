from datetime import time
from uuid import uuid4

import pytest

from project.models import (
    DigestStatus,
    MailSchedule,
    Notification,
    ProjectMember,
    Role,
    UserNotificationPreference,
    WorkspaceMember,
)
from project.services.digests.claim import claim
from tests.factories import make_comment, make_issue
from tests.services.digests.lines import NOW, make_activity, make_log, only_digest
from tests.services.digests.sending import LIMITS, changed, send

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda t, i: t.members["bob"].__class__.objects.filter(pk=t.members["bob"].pk).update(is_active=False),
         "receiver_inactive"),
        (lambda t, i: t.members["bob"].__class__.objects.filter(pk=t.members["bob"].pk).update(email=None),
         "no_address"),
        (lambda t, i: ProjectMember.objects.filter(member=t.members["bob"]).update(is_active=False), "no_access"),
        (lambda t, i: WorkspaceMember.objects.filter(member=t.members["bob"]).update(is_active=False),
         "no_access"),
        (lambda t, i: ProjectMember.objects.filter(member=t.members["bob"]).update(role=Role.GUEST), "no_access"),
        (lambda t, i: type(i).objects.filter(pk=i.pk).update(deleted_at=NOW), "issue_deleted"),
        (lambda t, i: UserNotificationPreference.objects.create(user=t.members["bob"], property_change=False),
         "preference_off:property_change"),
    ],
)  # fmt: skip
def test_what_changed_since_the_event_is_asked_before_the_mail(team, outbox, smtp_sink, change, reason):
    issue = make_issue(team)
    log = changed(team, issue=issue)
    wakes = claim(now=NOW, limits=LIMITS)
    change(team, issue)
    send(outbox, wakes)
    assert smtp_sink.messages == []
    row = only_digest()
    assert (row.status, row.reason, row.content) == (DigestStatus.SUPPRESSED, reason, None)
    log.refresh_from_db()
    assert log.sent_at is None


def test_a_removed_issue_takes_its_digest_to_a_reasoned_end(team, outbox, smtp_sink):
    make_log(team.members["bob"], None, entity_identifier=uuid4())
    send(outbox)
    assert (only_digest().status, only_digest().reason) == (DigestStatus.SUPPRESSED, "issue_gone")


def test_a_preference_gates_its_own_kind_alone(team, outbox, smtp_sink):
    issue, bob = make_issue(team), team.members["bob"]
    UserNotificationPreference.objects.create(user=bob, comment=False)
    comment = make_comment(issue, team.members["ann"], "<p>secret plan</p>")
    silent = changed(
        team, issue=issue, field="comment", verb="created", new_value=comment.comment_html,
        issue_comment=comment, new_identifier=comment.id,
    )  # fmt: skip
    told = changed(
        team, issue=issue, field="state", old_value="Backlog", new_value="Started",
        new_identifier=team.states["started"].id,
    )  # fmt: skip
    send(outbox)
    (mail,) = smtp_sink.messages
    assert "Started" in mail.get_body(("plain",)).get_content()
    assert "secret plan" not in mail.as_string()
    reasons = {line.log_id: line.suppressed for line in only_digest().lines.all()}
    assert reasons == {silent.id: "preference_off:comment", told.id: ""}
    silent.refresh_from_db()
    assert silent.sent_at is None


def mentioned_in_a_comment(team) -> None:
    """A line about a comment of ann's that mentions bob."""
    issue, bob = make_issue(team), team.members["bob"]
    mention = (
        f'<mention-component entity_identifier="{bob.id}" entity_name="user_mention"></mention-component>'
    )
    comment = make_comment(issue, team.members["ann"], f"<p>secret plan {mention}</p>")
    activity = make_activity(
        issue, team.members["ann"], field="comment", verb="created", new_value=comment.comment_html,
        issue_comment=comment, new_identifier=comment.id,
    )  # fmt: skip
    make_log(bob, activity, mention=True)


@pytest.mark.parametrize(("comment", "reason"), [(True, ""), (False, "preference_off:comment")])
def test_without_mentions_a_comment_that_mentions_is_a_comment(team, outbox, smtp_sink, comment, reason):
    UserNotificationPreference.objects.create(user=team.members["bob"], mention=False, comment=comment)
    mentioned_in_a_comment(team)
    send(outbox)
    texts = [mail.get_body(("plain",)).get_content() for mail in smtp_sink.messages]
    assert ["secret plan" in text and "mentioned you" not in text for text in texts] == [True] * comment
    assert only_digest().lines.get().suppressed == reason


def test_such_a_comment_hurries_nothing(team, outbox, smtp_sink):
    bob = team.members["bob"]
    UserNotificationPreference.objects.create(user=bob, mention=False)
    mentioned_in_a_comment(team)
    (wake,) = claim(now=NOW, limits=LIMITS)
    MailSchedule.objects.create(user=bob, quiet_from=time(11), quiet_until=time(13))
    send(outbox, [wake])
    assert only_digest().answer == "waits: quiet hours until 13:00 UTC"


@pytest.mark.parametrize("state_change", [True, False])
@pytest.mark.parametrize("issue_completed", [True, False])
def test_completion_is_a_kind_of_its_own(team, outbox, smtp_sink, state_change, issue_completed):
    bob = team.members["bob"]
    UserNotificationPreference.objects.create(
        user=bob, state_change=state_change, issue_completed=issue_completed, property_change=False
    )
    changed(team, field="state", new_value="Done", new_identifier=team.states["completed"].id)
    changed(team, field="state", new_value="Started", new_identifier=team.states["started"].id)
    send(outbox)
    assert len(smtp_sink.messages) == state_change + issue_completed


def test_the_most_specific_preference_wins(team, outbox, smtp_sink):
    bob = team.members["bob"]
    UserNotificationPreference.objects.create(user=bob, property_change=False)
    UserNotificationPreference.objects.create(user=bob, project=team.project, property_change=True)
    changed(team)
    send(outbox)
    assert len(smtp_sink.messages) == 1


@pytest.mark.parametrize("deleted_at", [None, NOW])
def test_what_was_read_in_the_inbox_is_not_mailed(team, outbox, smtp_sink, deleted_at):
    issue = make_issue(team)
    log = changed(team, issue=issue)
    Notification.objects.create(
        workspace=team.workspace, receiver=team.members["bob"], entity_identifier=issue.id, data=log.data,
        entity_name="issue", title="", sender="", read_at=NOW, deleted_at=deleted_at,
    )  # fmt: skip
    send(outbox)
    assert (only_digest().status, only_digest().reason) == (DigestStatus.SUPPRESSED, "read")
