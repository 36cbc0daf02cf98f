"""Bad content of every kind, in every place where people can put it: it costs at most itself.

PostgreSQL holds neither NUL nor half an emoji; the tests of composing and of headers have those.
"""

import re

import pytest

from project.models import DigestStatus, EmailDigest, Issue, Project, State, User, Workspace
from tests.factories import make_comment, make_issue
from tests.services.digests.lines import make_activity, make_log
from tests.services.digests.sending import changed, send
from tests.services.digests.test_visibility import text_of

pytestmark = pytest.mark.django_db(transaction=True)

POISON = {
    "crlf": "a\r\nBcc: x@example.org\r\n\r\nbody",
    "separators": "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg",
    "emoji": "👩‍👩‍👧" * 43,
    "right-to-left": "\u202egnp.exe \u2066שלום\u2069 \u200f",
    "html": "<script>alert(1)</script><a href='https://evil.example'>x</a>",
    "encoded word": "=?utf-8?q?evil?= =?x?=",
    "dots": "\n.\nMAIL FROM:<x@y>\n.\n",
    "long": "x" * 255,
}


@pytest.mark.parametrize("poison", POISON.values(), ids=POISON)
def test_poison_in_every_name_costs_nothing(team, outbox, smtp_sink, poison) -> None:
    issue, bob = make_issue(team), team.members["bob"]
    Issue.objects.update(name=poison)
    State.objects.filter(id=issue.state_id).update(name=poison)
    Project.objects.update(name=poison, identifier=poison[:12])
    Workspace.objects.update(name=poison[:80])
    User.objects.update(first_name=poison, display_name=poison, user_timezone=poison)
    comment = make_comment(issue, team.members["ann"], f"<p>{poison * 30}</p>")
    for field in ("name", "state", "labels", "target_date", "attachment", "unheard_of", poison[:30]):
        changed(team, issue=issue, field=field, old_value=poison, new_value=poison + "!")
    fields = {"field": "comment", "issue_comment": comment, "new_identifier": comment.id}
    make_log(bob, make_activity(issue, team.members["ann"], **fields, new_value=poison))
    send(outbox)
    (mail,), (content,) = smtp_sink.messages, smtp_sink.contents
    assert EmailDigest.objects.get().status == DigestStatus.SENT
    assert [part.defects for part in mail.walk()] == [[], [], []]
    assert content.isascii()
    head = content.partition(b"\r\n\r\n")[0]
    assert max(map(len, head.split(b"\r\n"))) <= 100
    assert sorted(set(mail.keys())) == sorted(mail.keys())
    assert mail["Bcc"] is None
    assert len(mail["Subject"]) <= 150
    assert not re.search(r"[\u202a-\u202e\u2066-\u2069]", mail["Subject"])
    assert "<script" not in mail.get_body(("html",)).get_content()


@pytest.mark.parametrize(
    "email", [None, "", " ", "@", "bob", "bob@", "jörg@acme.example", "a@b,c@d", "x" * 65 + "@a.b"]
)
def test_an_address_nobody_can_send_to_costs_its_own_mail(team, outbox, smtp_sink, email) -> None:
    User.objects.filter(pk=team.members["bob"].pk).update(email=email)
    issue = make_issue(team)
    changed(team, issue=issue)
    changed(team, receiver="carl", issue=issue)
    send(outbox)
    assert [mail["To"] for mail in smtp_sink.messages] == ["carl@acme.example"]
    ended = EmailDigest.objects.get(receiver=team.members["bob"])
    assert ended.status in {DigestStatus.FAILED, DigestStatus.SUPPRESSED}
    assert ended.reason


def test_an_actor_who_is_gone_for_good_costs_nothing(team, outbox, smtp_sink) -> None:
    issue = make_issue(team)
    comment = make_comment(issue, team.members["dora"], "<p>bye</p>")
    fields = {"field": "comment", "verb": "created", "new_value": "<p>bye</p>"}
    told = make_activity(issue, None, **fields, issue_comment=comment, new_identifier=comment.id)
    make_log(team.members["bob"], told, triggered_by=team.members["ann"])
    send(outbox)
    assert "A former member" in text_of(smtp_sink.messages[0])
