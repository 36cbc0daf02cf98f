"""The mail about an export that ended: the same machine as for issues, and a letter of its own."""

from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from project.models import (
    EmailDigest,
    EmailNotificationLog,
    Exporter,
    MailMode,
    MailSchedule,
    Notification,
    Order,
    Role,
    Scope,
    SuppressedAddress,
    UnsubscribeToken,
    User,
    UserNotificationPreference,
    Verb,
    Wake,
    WorkspaceMember,
)
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox
from project.services.digests.explain import explain_digest
from project.services.exports.cancel import delete
from project.services.exports.requeue import requeue
from project.services.notifications.unsubscribe import unsubscribe
from tests.conftest import SmtpSink
from tests.factories import Team
from tests.services.digests.lines import NOW, ago, only_digest
from tests.services.digests.sending import LIMITS, changed, send
from tests.services.exports.ended import completed, failed

pytestmark = pytest.mark.django_db(transaction=True)
SOON = LIMITS.window_mention


def parts(sink: SmtpSink) -> tuple[Any, str, str]:
    """The only mail, its text and its HTML."""
    (mail,) = sink.messages
    bodies = [mail.get_body((kind,)) for kind in ("plain", "html")]
    text, html = (body.get_content() for body in bodies if body)
    return mail, text, html


def test_a_completed_export_is_mailed_once_and_leads_to_the_page(
    team: Team, outbox: Outbox, smtp_sink: SmtpSink
) -> None:
    User.objects.filter(pk=team.members["ann"].pk).update(user_timezone="Europe/Berlin")
    export = completed(team, now=NOW - SOON, cut=1)
    wakes = claim(now=NOW, limits=LIMITS)
    send(outbox, wakes * 2)
    mail, text, html = parts(smtp_sink)
    assert (mail["Subject"], mail["To"]) == ("Your CSV export of Rocket is ready", "ann@acme.example")
    page = f"https://tracker.example/acme/exports/#e-{export.id}"
    for body in (text, html):
        assert page in body
        assert "holds 1200 issues and has 3.3 MB" in body
        assert "1 text was too long for Excel" in body
        assert "17 Mar 2026, 12:59 CET" in " ".join(body.split())
        assert "Unsubscribe from mails about exports" in body
        assert "Nobody reads replies to this address." in " ".join(body.split())
        assert "Amz" not in body
        assert ".zip" not in body
    digest = only_digest()
    assert (digest.status, digest.urgent, digest.issue_id) == ("sent", False, None)
    assert EmailNotificationLog.objects.get().sent_at == NOW


def test_a_failed_one_says_why_in_clean_text(team: Team, outbox: Outbox, smtp_sink: SmtpSink) -> None:
    failed(team, "The <store>\nrefuses us.", now=ago(60))
    send(outbox)
    mail, text, html = parts(smtp_sink)
    assert mail["Subject"] == "Your CSV export of Rocket failed"
    assert "The <store> refuses us." in text
    assert "The &lt;store&gt; refuses us." in html


def test_it_waits_as_long_as_a_mention_and_each_export_has_its_own(team: Team) -> None:
    completed(team, now=ago(31))
    completed(team, "json", now=ago(30))
    completed(team, "xlsx", now=ago(29))
    assert [len(claim(now=NOW + timedelta(seconds=more), limits=LIMITS)) for more in (0, 1, 9)] == [2, 1, 0]


def test_lines_about_issues_stay_in_mails_of_their_own(
    team: Team, outbox: Outbox, smtp_sink: SmtpSink
) -> None:
    changed(team, receiver="ann")
    completed(team, now=ago(400))
    send(outbox)
    subjects = sorted(str(mail["Subject"]) for mail in smtp_sink.messages)
    assert subjects == ["Your CSV export of Rocket is ready", "[ACME-1] Fix the door"]
    roots = [mail["References"] for mail in smtp_sink.messages]
    assert all(one != other for one, other in pairwise(roots))


def test_preferences_about_issues_do_not_mute_what_somebody_asked_for(
    team: Team, outbox: Outbox, smtp_sink: SmtpSink
) -> None:
    off = dict.fromkeys(("property_change", "state_change", "comment", "mention", "issue_completed"), False)
    UserNotificationPreference.objects.create(user=team.members["ann"], **off)
    completed(team, now=ago(60))
    send(outbox)
    assert len(smtp_sink.messages) == 1


def refuse(export: Exporter) -> None:
    SuppressedAddress.objects.create(
        address="ann@acme.example", reason="unknown", evidence="rcpt 550 5.1.1", since=NOW
    )


def want_no_mail(export: Exporter) -> None:
    MailSchedule.objects.create(user=export.initiated_by, mode=MailMode.OFF)


def want_no_mail_about_exports(export: Exporter) -> None:
    token = UnsubscribeToken.objects.create(receiver=export.initiated_by)
    unsubscribe(token, Scope.EXPORTS, now=NOW)


def run_again(export: Exporter) -> None:
    requeue([Wake(export.id, 1)], Order(Verb.REQUEUE, by="ops", why="mended", at=NOW))


@pytest.mark.parametrize(
    ("deed", "reason", "words"),
    [
        (lambda export: delete(export, now=NOW), "export_gone", "deleted the export"),
        (run_again, "export_goes_on", "an operator let the export run again"),
        (lambda _: Notification.objects.update(read_at=NOW), "read", "read in the inbox"),
        (
            lambda _: WorkspaceMember.objects.update(is_active=False, updated_at=NOW),
            "no_access",
            "is not an active member of the workspace acme since at least 2026-03-10",
        ),
        (lambda _: WorkspaceMember.objects.update(role=Role.GUEST), "no_access", ""),
        (lambda _: User.objects.update(is_active=False), "receiver_inactive", ""),
        (want_no_mail, "mode_off", ""),
        (want_no_mail_about_exports, "exports_off", "no mail about exports (unsubscribed by the link"),
        (refuse, "suppressed_address", "rcpt 550 5.1.1"),
    ],
)
def test_what_changed_meanwhile_is_asked_before_the_mail(
    team: Team,
    outbox: Outbox,
    smtp_sink: SmtpSink,
    deed: Callable[[Exporter], object],
    reason: str,
    words: str,
) -> None:
    deed(failed(team, "away", now=ago(60)))
    send(outbox)
    digest = only_digest()
    assert (digest.status, digest.reason, smtp_sink.messages) == ("suppressed", reason, [])
    story = explain_digest(digest.id, now=NOW, limits=LIMITS)
    assert words in str(story)


def test_a_line_with_garbage_for_data_costs_only_itself(
    team: Team, outbox: Outbox, smtp_sink: SmtpSink
) -> None:
    completed(team, now=ago(60))
    EmailNotificationLog.objects.update(data={"export": {"dispatch": 1}})
    completed(team, "json", now=ago(60))
    send(outbox)
    assert sorted(EmailDigest.objects.values_list("status", flat=True)) == ["failed", "sent"]
