"""The rules of the header, one test each: read with a parser, and looked at line by line."""

import re
from datetime import timedelta
from email import message_from_bytes, policy
from uuid import uuid4

import pytest

from project.mail_server import LONGEST_DOMAIN, LONGEST_SITE_URL, Mailbox
from project.models import EmailDigest, Issue, Project, UnsubscribeToken, Workspace
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from project.services.digests.draft import Letterhead
from project.services.digests.message import LONGEST_TOKEN
from tests.conftest import SmtpSink
from tests.factories import Team, make_comment, make_issue
from tests.services.digests.lines import NOW, make_activity, make_log
from tests.services.digests.mailbox import Links, Mail, raw, received
from tests.services.digests.sending import LETTERHEAD, LIMITS, changed

pytestmark = pytest.mark.django_db(transaction=True)

DAY = timedelta(days=1)
SITE = LETTERHEAD.site_url


@pytest.fixture
def post(outbox: Outbox, smtp_sink: SmtpSink, monkeypatch: pytest.MonkeyPatch):
    """Send what is due at a time, under a letterhead; return the newest mail and its lines."""

    def send(letterhead: Letterhead = LETTERHEAD, *, days: int = 0) -> Mail:
        now = NOW + days * DAY
        monkeypatch.setattr(outbox, "letterhead", letterhead)
        for row_id, dispatch in claim(now=now, limits=LIMITS):
            deliver(row_id, dispatch, owner=uuid4(), outbox=outbox, clock=lambda: now)
        return received(smtp_sink)[-1]

    return send


def tell(team: Team, issue: Issue, *, days: int = 0) -> None:
    activity = make_activity(issue, team.members["ann"], new_value=f"day {days}")
    make_log(team.members["bob"], activity, created_at=NOW + days * DAY - timedelta(seconds=301))


def test_h1_from_is_the_same_whoever_did_it(team, post) -> None:
    issue = make_issue(team)
    tell(team, issue)
    first = post()
    make_log(team.members["bob"], make_activity(issue, team.members["carl"], new_value="high"))
    assert raw(first, "From") == raw(post(), "From") == "Tracker <notify@tracker.example>"


def test_h2_each_receiver_has_a_mail_of_their_own(team, post, smtp_sink) -> None:
    issue = make_issue(team)
    for name in ("bob", "carl"):
        changed(team, receiver=name, issue=issue)
    post()
    assert sorted(raw(mail, "To") for mail in received(smtp_sink)) == [
        "bob@acme.example",
        "carl@acme.example",
    ]
    for mail in received(smtp_sink):
        assert [mail.get_all("To"), mail["Cc"], mail["Bcc"]] == [[mail["To"]], None, None]


def test_h3_the_subject_stays_that_of_the_first_mail_until_there_was_none_for_a_month(team, post) -> None:
    issue = make_issue(team, name="Fix the door")
    tell(team, issue)
    assert post()["Subject"] == "[ACME-1] Fix the door"
    Issue.objects.filter(pk=issue.pk).update(name="Fix\u202e the\r\nwindow")
    for days, subject in ((20, "Fix the door"), (40, "Fix the door"), (71, "Fix the window")):
        tell(team, issue, days=days)
        assert post(days=days)["Subject"] == f"[ACME-1] {subject}", days
    assert EmailDigest.objects.order_by("-created_at")[0].subject.startswith("[ACME-1] Fix\u202e")


def test_h3_subjects_are_one_clean_line_of_bounded_length(team, post) -> None:
    tell(team, make_issue(team, name="a\u2028b\x0bc " + "🚀" * 248))
    mail = post()
    assert mail["Subject"].startswith("[ACME-1] a b c 🚀🚀")
    assert len(mail["Subject"]) == 150
    assert max(map(len, raw(mail, "Subject").split("\r\n"))) <= 78


def test_h4_message_id_date_and_boundary_are_frozen_with_the_content(team, post, smtp_sink) -> None:
    tell(team, make_issue(team))
    mail, row = post(), EmailDigest.objects.get()
    assert raw(mail, "Message-ID") == row.message_id
    assert re.fullmatch(r"<[a-z2-7]{26}\.d@tracker\.example>", row.message_id)
    assert mail["Date"].datetime == row.sealed_at == NOW
    assert mail.get_boundary() == f"=_{row.message_id[1:].partition('@')[0]}"
    again = message_from_bytes(smtp_sink.contents[0], policy=policy.SMTP.clone(refold_source="none"))
    assert again.as_bytes() == smtp_sink.contents[0] == bytes(row.content)


def test_h5_every_mail_refers_to_one_root_and_to_the_mail_before(team, post) -> None:
    issue = make_issue(team)
    mails = []
    for days in range(3):
        tell(team, issue, days=days)
        mails.append(post(days=days))
    ids, references = [raw(m, "Message-ID") for m in mails], [raw(m, "References").split() for m in mails]
    (root,) = references[0]
    assert re.fullmatch(r"<i\.[a-z2-7]{26}@tracker\.example>", root)
    assert references[1:] == [[root, ids[0]], [root, ids[1]]]
    assert [raw(m, "In-Reply-To") for m in mails] == [root, *ids[:2]]


def test_h5_behind_a_provider_that_renames_mails_only_the_root_is_answered(team, post) -> None:
    issue = make_issue(team)
    for days in range(2):
        tell(team, issue, days=days)
        mail = post(Letterhead(LETTERHEAD.sender, SITE, keeps_ids=False), days=days)
        assert raw(mail, "In-Reply-To") == raw(mail, "References").split()[0]


def test_h5_another_receiver_and_another_issue_have_other_threads(team, post, smtp_sink) -> None:
    issue = make_issue(team)
    changed(team, receiver="bob", issue=issue)
    changed(team, receiver="carl", issue=issue)
    changed(team, receiver="bob", issue=make_issue(team))
    post()
    assert len({raw(mail, "References") for mail in received(smtp_sink)}) == 3


def test_h6_the_list_is_the_project_and_outlives_its_name(team, post) -> None:
    issue = make_issue(team)
    tell(team, issue)
    before = raw(post(), "List-Id")
    Project.objects.update(name="Renamed", identifier="NEW")
    tell(team, issue, days=1)
    assert raw(post(days=1), "List-Id") == before == f"<{team.project.id.hex[:12]}.acme.tracker.example>"


@pytest.mark.parametrize("slug", ["ä b", "büro", ""])
def test_h6_a_name_that_no_header_can_hold_is_left_out(team, post, slug) -> None:
    tell(team, make_issue(team))
    Workspace.objects.filter(id=team.workspace.id).update(slug=slug)
    assert raw(post(), "List-Id") == f"<{team.project.id.hex[:12]}.tracker.example>"


def test_h7_both_headers_of_one_click_are_there_and_their_link_is_that_of_the_foot(team, post) -> None:
    tell(team, make_issue(team))
    mail = post()
    url = f"{SITE}/unsubscribe/{UnsubscribeToken.objects.get().token}/"
    assert raw(mail, "List-Unsubscribe") == f"<{url}>"
    assert raw(mail, "List-Unsubscribe-Post") == "List-Unsubscribe=One-Click"
    assert url in Links(mail.get_body(("html",)).get_content()).found
    assert url in mail.get_body(("plain",)).get_content()


def test_h7_the_same_link_for_one_issue_and_another_for_the_next(team, post, smtp_sink) -> None:
    issue = make_issue(team)
    for days in range(2):
        tell(team, issue, days=days)
        post(days=days)
    tell(team, make_issue(team), days=2)
    post(days=2)
    first, second, other = (raw(mail, "List-Unsubscribe") for mail in received(smtp_sink))
    assert first == second != other


def test_h7_by_mail_only_if_somebody_reads_it(team, post) -> None:
    tell(team, make_issue(team))
    mail = post(Letterhead(LETTERHEAD.sender, SITE, unsubscribe_mailto="leave@tracker.example"))
    web, by_mail = raw(mail, "List-Unsubscribe").split(",\r\n ")
    token = UnsubscribeToken.objects.get().token
    assert (web, by_mail) == (
        f"<{SITE}/unsubscribe/{token}/>",
        f"<mailto:leave@tracker.example?subject={token}>",
    )


def test_h8_nothing_answers_by_itself(team, post) -> None:
    tell(team, make_issue(team))
    mail = post()
    names = ("Auto-Submitted", "X-Auto-Response-Suppress", "Precedence")
    assert [raw(mail, name) for name in names] == ["auto-generated", "All", "list"]


def test_h9_complaints_are_counted_by_kind_and_never_by_person(team, post) -> None:
    issue, bob = make_issue(team), team.members["bob"]
    tell(team, issue)
    change = post()
    html = f'<mention-component entity_identifier="{bob.id}" entity_name="user_mention"></mention-component>'
    comment = make_comment(issue, team.members["ann"], html)
    fields = {"field": "comment", "issue_comment": comment, "new_identifier": comment.id, "new_value": html}
    make_log(bob, make_activity(issue, team.members["ann"], **fields), mention=True)
    mention = post(days=1)
    bucket = team.workspace.id.hex[0]
    assert raw(change, "Feedback-ID") == f"issue:{bucket}:v1:singlepost"
    assert raw(mention, "Feedback-ID") == f"mention:{bucket}:v1:singlepost"
    assert raw(mention, "X-Singlepost-Reason") == "mention"
    assert "because you were mentioned." in mention.get_body(("plain",)).get_content()


@pytest.mark.parametrize(
    ("relation", "word", "sentence"),
    [
        ("follows", "following", "you follow the issue"),
        ("assigned", "assigned", "the issue is assigned to you"),
        ("created", "created", "you created the issue"),
    ],
)
def test_h10_and_h13_header_and_foot_tell_the_same_reason(team, post, relation, word, sentence) -> None:
    bob = team.members["bob"]
    fields = {"assigned": {"assignees": [bob]}, "created": {"created_by": bob}}.get(relation, {})
    tell(team, make_issue(team, **fields))
    mail, row = post(), EmailDigest.objects.get()
    names = ("Reason", "Project", "Issue", "Digest")
    told = [raw(mail, f"X-Singlepost-{name}") for name in names]
    assert told == [word, "ACME", "ACME-1", str(row.id)]
    for kind in ("plain", "html"):
        foot = " ".join(mail.get_body((kind,)).get_content().split())
        assert f"You get this mail because {sentence}." in foot
        assert "Change notification settings" in foot
        assert "Unsubscribe" in foot


def test_h10_a_key_of_any_letters_is_encoded(team, post) -> None:
    Project.objects.update(identifier="ДВЕРЬ🚪\n")
    tell(team, make_issue(team))
    mail = post()
    assert mail["X-Singlepost-Issue"] == "ДВЕРЬ🚪 -1"
    assert raw(mail, "X-Singlepost-Issue").isascii()


def test_h11_with_the_longest_names_no_value_is_folded_or_encoded(team, post) -> None:
    Workspace.objects.update(slug="w" * 48)
    sender = Mailbox("Tracker", f"notify@{'d' * (LONGEST_DOMAIN - 8)}.example")
    site = f"https://{'h' * (LONGEST_SITE_URL - 16)}.example"
    tell(team, make_issue(team))
    mail = post(Letterhead(sender, site))
    names = ("Message-ID", "In-Reply-To", "References", "List-Id", "List-Unsubscribe", "Feedback-ID")
    for name in names:
        assert len(raw(mail, name)) <= LONGEST_TOKEN, name
        assert raw(mail, name).isascii()
        assert not re.search(r"\s|=\?", raw(mail, name))


def test_h12_text_then_html_in_short_ascii_lines_that_tell_the_same(team, post, smtp_sink) -> None:
    issue = make_issue(team, name="Größe " * 40)
    tell(team, issue)
    changed(team, issue=issue, field="name", old_value="x", new_value="y" * 3000)
    mail, content = post(), smtp_sink.contents[0]
    parts = list(mail.iter_parts())
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    assert {part["Content-Transfer-Encoding"] for part in parts} == {"quoted-printable"}
    assert content.isascii()
    assert max(map(len, content.split(b"\r\n"))) <= 998
    for part in parts:
        for words in ("ACME-1", "Größe", "day 0", "yyyy"):
            assert words in part.get_content()


def test_h14_all_links_lead_to_the_configured_site(team, post) -> None:
    issue = make_issue(team)
    tell(team, issue)
    mail = post()
    links = Links(mail.get_body(("html",)).get_content()).found
    links += re.findall(r"https?://\S+", mail.get_body(("plain",)).get_content())
    assert len(links) >= 7
    assert [link for link in links if not link.startswith(f"{SITE}/")] == []
