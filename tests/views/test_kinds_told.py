"""The words of every kind of event: on the issue's page, in the inbox and in the mail."""

import re
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.utils import timezone

from project.mail_server import Mailbox, MailServer
from project.models import IssueActivity, Notification
from project.services.digests.claim import claim
from project.services.digests.deliver import Outbox, deliver
from project.services.digests.draft import Letterhead
from project.services.digests.phrases import words_of
from project.services.notifications.archiving import archive
from project.services.notifications.automation import Automation, close
from project.views.pages.deeds import Deed
from project.views.pages.entries import entries_of
from project.views.pages.issue_story import story_of
from tests.conftest import SmtpSink
from tests.services.notifications.scene import Scene, make_scene, tell_of_all
from tests.views.api import by_session

pytestmark = pytest.mark.django_db

LETTERHEAD = Letterhead(Mailbox("Tracker", "notify@tracker.example"), "https://tracker.example")
AUTOMATICALLY = "automatically after 3 months without activity"
LINK = "https://example.org/plan?a=1&b=2"


@pytest.fixture
def scene() -> Scene:
    return make_scene(by_session)


def everything(scene: Scene) -> list[str]:
    """Do one of each kind; return what is said of it, in its order."""
    other, cycle, module = str(scene.other.id), scene.cycle(), scene.module()
    scene.on_issue("post", "issue-links/", url=LINK)
    scene.on_issue("post", "issue-attachments/", name="plan.pdf", size=9)
    scene.on_issue("post", "issue-relation/", relation_type="blocked_by", issues=[other])
    scene.on_issue("patch", parent_id=other)
    scene.on_issue("patch", estimate_point=str(scene.estimate_point("8").id))
    scene.on_project("post", f"cycles/{cycle.id}/cycle-issues/", issues=[str(scene.issue.id)])
    scene.on_issue("post", "modules/", modules=[str(module.id)])
    scene.on_issue("patch", state_id=str(scene.team.states["completed"].id))
    scene.on_issue("post", "archive/")
    return [
        f"actor linked {LINK}",
        "actor attached plan.pdf",
        "actor marked this as blocked by BOOK-2",
        "actor changed the parent: set to BOOK-2",
        "actor changed the estimate: set to 8",
        "actor added this to the cycle Sprint 4",
        "actor added this to the module Doors",
        "actor changed the state: Backlog → Completed",
        "actor archived the issue",
    ]


def in_words(who: str, deed: Deed) -> str:
    return f"{who} {deed.did} {words_of(deed.phrase)}".strip()


def page(scene: Scene) -> list[str]:
    return [in_words(step.who, step.deed) for step in reversed(story_of(scene.issue).history)]


def inbox(scene: Scene, person: str) -> list[str]:
    about = Notification.objects.filter(
        receiver=scene.team.members[person], entity_identifier=scene.issue.id
    ).select_related("triggered_by")
    order = list(IssueActivity.objects.order_by("created_at").values_list("id", flat=True))
    rows = sorted(about, key=lambda row: order.index(UUID(row.data["issue_activity"]["id"])))
    return [in_words(entry.who, entry.deed) for entry in entries_of(rows, now=timezone.now())]


def mail_to(scene: Scene, person: str, sink: SmtpSink) -> str | None:
    """The text of the one mail that the person gets once everything that waits is mailed; None if none."""
    outbox = Outbox(MailServer.from_url(sink.url), LETTERHEAD, settings.LIMITS)
    now = timezone.now() + settings.LIMITS.window_cap + timedelta(seconds=1)
    try:
        for wake in claim(now=now, limits=settings.LIMITS):
            deliver(wake.row_id, wake.dispatch, owner=uuid4(), outbox=outbox, clock=lambda: now)
    finally:
        outbox.connections.close()
    address = scene.team.members[person].email
    mails = [mail for mail in sink.messages if address in str(mail["To"])]
    if not mails:
        return None
    [mail] = mails
    text, html = (mail.get_body([kind]) for kind in ("plain", "html"))
    assert text
    assert html
    for url in re.findall(r'href="(https://example[^"]*)"', html.get_content()):
        assert url == LINK.replace("&", "&amp;")
    words: str = text.get_content()
    return words


def test_what_came(scene: Scene, smtp_sink: SmtpSink) -> None:
    said = everything(scene)
    tell_of_all()
    assert page(scene) == inbox(scene, "follower") == said
    text = mail_to(scene, "follower", smtp_sink)
    assert text
    for line in (
        f"* Links: added {LINK}",
        "* Attachments: added plan.pdf",
        "* Blocked by: added BOOK-2",
        "* Parent: set to BOOK-2",
        "* Estimate: set to 8",
        "* Cycles: added Sprint 4",
        "* Modules: added Doors",
        "* State: Backlog → Completed",
        "* Issue: archived",
    ):
        assert line in text.splitlines()


def test_what_came_and_went_before_the_mail_is_not_mailed(scene: Scene, smtp_sink: SmtpSink) -> None:
    link = scene.on_issue("post", "issue-links/", url=LINK).json()
    file = scene.on_issue("post", "issue-attachments/", name="plan.pdf", size=9).json()
    other = str(scene.other.id)
    scene.on_issue("post", "issue-relation/", relation_type="blocking", issues=[other])
    scene.on_issue("delete", f"issue-links/{link['id']}/")
    scene.on_issue("delete", f"issue-attachments/{file['id']}/")
    scene.on_issue("post", "remove-relation/", related_issue=other)
    tell_of_all()
    assert inbox(scene, "follower")[3:] == [
        f"actor removed the link {LINK}",
        "actor removed the attachment plan.pdf",
        "actor took back that this is blocking BOOK-2",
    ]
    assert mail_to(scene, "follower", smtp_sink) is None
    assert not smtp_sink.messages


def test_what_a_rule_did(scene: Scene, smtp_sink: SmtpSink) -> None:
    now = timezone.now()
    rule = Automation(months=3, idle_since=now + timedelta(minutes=1), run=uuid4())
    close(scene.issue.id, scene.team.states["cancelled"].id, by=rule, now=now)
    archive(scene.issue.id, by=rule, now=now)
    tell_of_all()
    said = [
        f"Automation changed the state: Backlog → Cancelled, {AUTOMATICALLY}",
        f"Automation archived the issue {AUTOMATICALLY}",
    ]
    assert page(scene) == inbox(scene, "creator") == said
    text = mail_to(scene, "creator", smtp_sink)
    assert text
    lines = " ".join(text.split())
    assert (
        f"* State: Backlog → Cancelled, {AUTOMATICALLY} * Issue: archived {AUTOMATICALLY} Automation, "
        in lines
    )


def test_poison_in_a_title_a_name_or_an_address_costs_itself_only(scene: Scene, smtp_sink: SmtpSink) -> None:
    cycle = scene.cycle(name="\u202eSprint\r\nBcc: x@example.org\u2028<b>4</b>")
    link = scene.link()
    type(link).objects.filter(id=link.id).update(url="javascript:alert(1)\r\nX: y")
    scene.on_issue("delete", f"issue-links/{link.id}/")
    scene.on_project("post", f"cycles/{cycle.id}/cycle-issues/", issues=[str(scene.issue.id)])
    tell_of_all()
    text = mail_to(scene, "follower", smtp_sink)
    assert text
    assert "* Links: removed javascript:alert(1) X: y" in text.splitlines()
    assert "* Cycles: added Sprint Bcc: x@example.org <b>4</b>" in text.splitlines()
    assert not any(mail["Bcc"] or mail["X"] for mail in smtp_sink.messages)
    html = smtp_sink.messages[0].get_body(["html"])
    assert html
    assert 'href="javascript' not in html.get_content()
    assert "<b>4" not in html.get_content()
