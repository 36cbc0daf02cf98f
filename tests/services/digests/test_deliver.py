from datetime import timedelta
from hashlib import sha256
from uuid import UUID, uuid4

import pytest
from django.db import DataError, connection
from django.test.utils import CaptureQueriesContext

from project.mail_server import MailServer
from project.models import (
    DigestStatus,
    EmailDigest,
)
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from tests.factories import make_comment, make_issue, make_team, make_user
from tests.services.digests.lines import NOW, make_activity, make_log, only_digest
from tests.services.digests.sending import LETTERHEAD, LIMITS, changed, send

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_change_becomes_one_mail_in_words(team, outbox, smtp_sink):
    log = changed(team, field="priority", old_value="low", new_value="high")
    send(outbox)
    (mail,) = smtp_sink.messages
    row = only_digest()
    assert (row.status, row.reason, row.attempt, row.generation) == (DigestStatus.SENT, "", 1, 1)
    assert mail["Message-ID"] == row.message_id
    assert mail["To"] == team.members["bob"].email
    assert mail["Subject"] == "[ACME-1] Fix the door"
    assert mail["X-Singlepost-Digest"] == str(row.id)
    for part in ("plain", "html"):
        body = mail.get_body((part,)).get_content()
        assert "Priority" in body
        assert "high" in body
        assert "https://tracker.example/acme/projects/" in body
    log.refresh_from_db()
    assert log.sent_at == NOW
    assert smtp_sink.effects[0].sha256 == row.content_sha256 == sha256(bytes(row.content)).hexdigest()


def test_the_same_message_again_sends_nothing(team, outbox, smtp_sink):
    changed(team)
    wakes = claim(now=NOW, limits=LIMITS)
    send(outbox, wakes * 3)
    assert len(smtp_sink.messages) == 1
    assert only_digest().attempt == 1


def test_a_hundred_receivers_use_one_connection(team, outbox, smtp_sink):
    issue = make_issue(team)
    for name in ("bob", "carl", "dora", "eve"):
        changed(team, receiver=name, issue=issue)
    send(outbox)
    assert sorted(m["To"] for m in smtp_sink.messages) == sorted(
        team.members[n].email for n in ("bob", "carl", "dora", "eve")
    )
    assert outbox.connections._session.mails == 4


def test_changes_that_cancel_out_are_not_mailed(team, outbox, smtp_sink):
    issue = make_issue(team)
    changed(team, issue=issue, old_value="low", new_value="high")
    changed(team, issue=issue, old_value="high", new_value="low")
    send(outbox)
    assert (only_digest().status, only_digest().reason) == (DigestStatus.SUPPRESSED, "nothing_left")
    assert smtp_sink.messages == []


def test_the_receivers_own_change_in_between_is_known_to_them(team, outbox, smtp_sink):
    issue, bob = make_issue(team), team.members["bob"]
    changed(team, issue=issue, old_value="low", new_value="high")
    make_activity(issue, bob, old_value="high", new_value="urgent")
    changed(team, issue=issue, old_value="urgent", new_value="none")
    send(outbox)
    text = smtp_sink.messages[0].get_body(("plain",)).get_content()
    assert "urgent" in text
    assert "low" not in text.replace("follow", "")


def test_a_comment_is_mailed_as_it_is_now(team, outbox, smtp_sink):
    issue, ann = make_issue(team), team.members["ann"]
    comment = make_comment(issue, ann, "<p>the <b>fix</b><script>x</script></p>")
    gone = make_comment(issue, ann, "<p>never mind</p>", deleted_at=NOW)
    for one in (comment, gone):
        changed(
            team, issue=issue, field="comment", verb="created", new_value="<p>teh fix</p>",
            issue_comment=one, new_identifier=one.id,
        )  # fmt: skip
    send(outbox)
    mail = smtp_sink.messages[0]
    text, html = (mail.get_body((part,)).get_content() for part in ("plain", "html"))
    assert "the fix" in text
    assert "the <b>fix</b>" in html.replace("strong", "b")
    for body in (text, html):
        assert "teh fix" not in body
        assert "never mind" not in body
        assert "<script" not in body


@pytest.mark.parametrize(
    ("email", "fault"),
    [("jörg@acme.example", "eai_unsupported"), ("bob", "no_domain"), ("a@b,c@d", "several_addresses")],
)
def test_an_address_nobody_can_send_to_fails_before_connecting(outbox, email, fault):
    team = make_team()
    type(team.members["bob"]).objects.filter(pk=team.members["bob"].pk).update(email=email)
    changed(team)
    send(outbox)
    assert (only_digest().status, only_digest().reason) == (DigestStatus.FAILED, f"receiver: {fault}")


@pytest.mark.parametrize("title", ["a\r\nBcc: x@y.example", "a\x00b", "a\u2028b", "\u202eevil", "🚀" * 255])
def test_a_poisoned_title_costs_nothing_but_itself(team, outbox, smtp_sink, title):
    issue = make_issue(team)
    type(issue).objects.filter(pk=issue.pk).update(name=title.replace("\x00", ""))
    changed(team, issue=issue)
    send(outbox)
    (mail,) = smtp_sink.messages
    assert mail["Bcc"] is None
    assert mail["Subject"].startswith("[ACME-1] ")
    assert only_digest().status == DigestStatus.SENT


def test_a_line_with_garbage_for_data_costs_only_itself(team, outbox, smtp_sink):
    issue = make_issue(team)
    good = changed(team, issue=issue)
    for data in (None, [], {"issue_activity": None}, {"issue_activity": {"id": "x"}}):
        make_log(team.members["bob"], None, entity_identifier=issue.id, data=data)
    send(outbox)
    assert len(smtp_sink.messages) == 1
    good.refresh_from_db()
    assert good.sent_at == NOW


def test_a_server_that_is_away_charges_nothing_and_is_tried_again(team, smtp_sink):
    away = Outbox(MailServer(host="127.0.0.1", port=1), LETTERHEAD, LIMITS)
    changed(team)
    (wake,) = claim(now=NOW, limits=LIMITS)
    send(away, [wake])
    row = only_digest()
    assert (row.status, row.failures, row.dispatch) == (DigestStatus.WAITING, 0, 2)
    assert timedelta(seconds=48) <= row.due_at - NOW <= timedelta(seconds=72)
    back = Outbox(MailServer.from_url(smtp_sink.url), LETTERHEAD, LIMITS)
    send(back, [wake])  # the old wake-up is stale
    assert smtp_sink.messages == []
    send(back, [(row.id, 2)])
    back.connections.close()
    assert len(smtp_sink.messages) == 1
    row.refresh_from_db()
    assert (row.status, row.attempt, row.generation) == (DigestStatus.SENT, 2, 1)


def test_content_that_changed_between_attempts_is_sealed_anew_under_a_new_name(team, outbox, smtp_sink):
    away = Outbox(MailServer(host="127.0.0.1", port=1), LETTERHEAD, LIMITS)
    issue = make_issue(team)
    changed(team, issue=issue)
    send(away)
    first = only_digest()
    type(issue).objects.filter(pk=issue.pk).update(name="Fix the window")
    send(outbox, [(first.id, 2)])
    second = only_digest()
    assert (first.generation, second.generation) == (1, 2)
    assert first.message_id != second.message_id == smtp_sink.messages[0]["Message-ID"]


def test_an_interrupt_before_the_dot_gives_the_attempt_back(team, outbox, smtp_sink, monkeypatch):
    class Shutdown(BaseException):
        """What dramatiq throws into a worker thread."""

    changed(team)
    (wake,) = claim(now=NOW, limits=LIMITS)

    def interrupted(*_, **__):
        raise Shutdown

    monkeypatch.setattr("project.services.digests.deliver.fence", interrupted)
    with pytest.raises(Shutdown):
        send(outbox, [wake])
    monkeypatch.undo()
    row = only_digest()
    assert (row.status, row.unanswered, row.failures, row.dispatch) == (DigestStatus.WAITING, 0, 0, 1)
    send(outbox, [wake])
    assert len(smtp_sink.messages) == 1


def test_the_number_of_queries_does_not_grow_with_the_lines(team, outbox, smtp_sink):
    def queries(lines: int) -> int:
        issue = make_issue(team)
        for n in range(lines):
            changed(team, issue=issue, field="name", old_value=f"a{n}", new_value=f"a{n + 1}")
        wakes = claim(now=NOW, limits=LIMITS)
        with CaptureQueriesContext(connection) as captured:
            send(outbox, wakes)
        return len(captured)

    queries(1)  # the first mail of a sender also writes the breaker's row
    assert queries(1) == queries(40)


def test_a_digest_that_does_not_exist_is_nothing_to_do(outbox, smtp_sink):
    deliver(UUID(int=1), 1, owner=uuid4(), outbox=outbox, clock=lambda: NOW)
    assert smtp_sink.messages == []


def test_a_former_members_change_is_still_told(team, outbox, smtp_sink):
    guest = make_user("zoe", email="zoe@acme.example")
    issue = make_issue(team)
    log = make_log(team.members["bob"], make_activity(issue, None), triggered_by=guest)
    send(outbox)
    log.refresh_from_db()
    assert log.sent_at == NOW
    assert EmailDigest.objects.get().status == DigestStatus.SENT


def test_a_statement_that_the_database_refuses_costs_its_digest_only(team, outbox, smtp_sink, monkeypatch):
    def refused(*_, **__):
        raise DataError("value too long")

    changed(team)
    monkeypatch.setattr("project.services.digests.deliver.seal", refused)
    send(outbox)
    assert (only_digest().status, only_digest().reason) == (
        DigestStatus.FAILED,
        "message: cannot be composed: DataError",
    )
