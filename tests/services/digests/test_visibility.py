"""What happened between the event and the mail decides about the mail: the ten cases of the specification."""

from uuid import uuid4

import pytest

from project.mail_server import MailServer
from project.models import (
    DigestStatus,
    EmailDigest,
    Issue,
    ProjectMember,
    Role,
    State,
    SuppressedAddress,
    User,
    UserNotificationPreference,
)
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox
from tests.factories import Team, join, make_comment, make_issue, make_team
from tests.services.digests.lines import NOW, make_activity, make_log, only_digest
from tests.services.digests.sending import LETTERHEAD, LIMITS, changed, send

pytestmark = pytest.mark.django_db(transaction=True)
NOBODY_LISTENS = MailServer(host="127.0.0.1", port=1)


def outcomes() -> set[tuple[str, str]]:
    return set(EmailDigest.objects.values_list("status", "reason"))


def test_what_a_machine_keeps_is_not_mailed(team, outbox, smtp_sink):
    issue = make_issue(team)
    changed(team, issue=issue, field="sort_order", old_value="1", new_value="2")
    send(outbox)
    assert (outcomes(), smtp_sink.messages) == ({("suppressed", "nothing_left")}, [])
    changed(team, issue=issue, field="completed_at", new_value="2026-03-10")
    changed(team, issue=issue)
    send(outbox)
    assert "Completed at" not in text_of(smtp_sink.messages[0])


def commented(team: Team, issue: Issue, html: str, *, by: str = "ann", mention: bool = False) -> None:
    comment = make_comment(issue, team.members[by], html)
    activity = make_activity(
        issue,
        team.members[by],
        field="comment",
        verb="created",
        new_value=html,
        issue_comment=comment,
        new_identifier=comment.id,
    )
    make_log(team.members["bob"], activity, mention=mention)


def text_of(mail) -> str:
    return " ".join(mail.get_body(("plain",)).get_content().split())


def test_s1_who_left_the_project_gets_no_byte_of_it(team, outbox, smtp_sink) -> None:
    changed(team)
    wakes = claim(now=NOW, limits=LIMITS)
    ProjectMember.objects.filter(member=team.members["bob"]).update(is_active=False)
    send(outbox, wakes)
    assert outcomes() == {(DigestStatus.SUPPRESSED, "no_access")}
    assert smtp_sink.contents == []
    assert only_digest().content is None


def test_s2_who_left_one_of_two_projects_hears_of_the_other(team, outbox, smtp_sink) -> None:
    other = make_team("beta", names=("zoe",))
    join(other.workspace, other.project, team.members["bob"], Role.MEMBER)
    issue = make_issue(other, name="Elsewhere")
    changed(team, issue=make_issue(team, name="Secret"))
    make_log(team.members["bob"], make_activity(issue, other.members["zoe"]))
    wakes = claim(now=NOW, limits=LIMITS)
    ProjectMember.objects.filter(member=team.members["bob"], project=team.project).update(is_active=False)
    send(outbox, wakes)
    (mail,) = smtp_sink.messages
    assert "Elsewhere" in mail["Subject"]
    assert b"Secret" not in smtp_sink.contents[0]
    assert outcomes() == {(DigestStatus.SUPPRESSED, "no_access"), (DigestStatus.SENT, "")}


def test_s3_a_deleted_issue_is_not_told_of(team, outbox, smtp_sink) -> None:
    issue = make_issue(team)
    changed(team, issue=issue)
    wakes = claim(now=NOW, limits=LIMITS)
    Issue.objects.filter(pk=issue.pk).update(deleted_at=NOW)
    send(outbox, wakes)
    assert outcomes() == {(DigestStatus.SUPPRESSED, "issue_deleted")}
    assert smtp_sink.contents == []


def test_s4_who_was_deactivated_is_not_mailed(team, outbox, smtp_sink) -> None:
    changed(team)
    wakes = claim(now=NOW, limits=LIMITS)
    User.objects.filter(pk=team.members["bob"].pk).update(is_active=False)
    send(outbox, wakes)
    assert outcomes() == {(DigestStatus.SUPPRESSED, "receiver_inactive")}
    assert smtp_sink.contents == []


def test_s5_a_new_address_gets_the_mail_and_inherits_no_suppression(team, outbox, smtp_sink) -> None:
    changed(team)
    send(Outbox(NOBODY_LISTENS, LETTERHEAD, LIMITS))
    sealed = only_digest()
    assert (sealed.status, sealed.to_address) == (DigestStatus.WAITING, "bob@acme.example")
    SuppressedAddress.objects.create(address="bob@acme.example", reason="unknown", evidence="x", since=NOW)
    User.objects.filter(pk=team.members["bob"].pk).update(email="robert@acme.example")
    send(outbox, [(sealed.id, sealed.dispatch)])
    assert [mail["To"] for mail in smtp_sink.messages] == ["robert@acme.example"]
    assert (only_digest().status, only_digest().generation) == (DigestStatus.SENT, 2)


def test_s6_a_preference_takes_out_its_kind_and_leaves_the_rest(team, outbox, smtp_sink) -> None:
    issue = make_issue(team)
    commented(team, issue, "<p>between us</p>")
    started = State.objects.get(group="started")
    changed(team, issue=issue, field="state", new_value="Started", new_identifier=started.id)
    wakes = claim(now=NOW, limits=LIMITS)
    UserNotificationPreference.objects.create(user=team.members["bob"], comment=False)
    send(outbox, wakes)
    (mail,) = smtp_sink.messages
    assert "Started" in text_of(mail)
    assert "between us" not in text_of(mail)


def test_s7_a_deleted_actor_is_a_former_member(team, outbox, smtp_sink) -> None:
    make_log(team.members["bob"], make_activity(make_issue(team), None))
    send(outbox)
    assert "A former member" in text_of(smtp_sink.messages[0])


@pytest.mark.parametrize("who", [str(uuid4()), "not-a-uuid", "🚪" * 300])
def test_s8_a_mention_of_nobody_is_someone(team, outbox, smtp_sink, who) -> None:
    mention = f'<mention-component entity_identifier="{who}" entity_name="user_mention"></mention-component>'
    commented(team, make_issue(team), f"<p>{mention} look</p>")
    send(outbox)
    assert "@someone look" in text_of(smtp_sink.messages[0])


@pytest.mark.parametrize("break_", ["\r\n", "\u2028", "\x0b", "\u0085"])
def test_s9_a_title_that_breaks_lines_adds_no_header(team, outbox, smtp_sink, break_) -> None:
    changed(team, issue=make_issue(team, name=f"Door{break_}Bcc: x@example.org"))
    send(outbox)
    (mail,) = smtp_sink.messages
    assert mail["Subject"] == "[ACME-1] Door Bcc: x@example.org"
    assert mail["Bcc"] is None
    assert b"\nBcc:" not in smtp_sink.contents[0]
    assert [effect.to for effect in smtp_sink.effects] == [["bob@acme.example"]]


def test_s10_a_local_part_that_needs_smtputf8_fails_alone_and_is_not_suppressed(outbox, smtp_sink) -> None:
    team = make_team()
    User.objects.filter(pk=team.members["bob"].pk).update(email="jörg@acme.example")
    issue = make_issue(team)
    changed(team, issue=issue)
    changed(team, receiver="carl", issue=issue)
    send(outbox)
    assert outcomes() == {(DigestStatus.FAILED, "receiver: eai_unsupported"), (DigestStatus.SENT, "")}
    assert [mail["To"] for mail in smtp_sink.messages] == ["carl@acme.example"]
    assert not SuppressedAddress.objects.exists()
