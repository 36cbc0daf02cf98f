"""The inbox as people use it."""

import pytest
from django.utils import timezone

from project.models import Issue, Notification, UserNotificationPreference
from tests.browser.office import Office
from tests.browser.visitor import Visitor

INBOX = "/brightwater/inbox/"
FIRST = ".entry:first-child"


@pytest.fixture
def ben(visitor: Visitor, office: Office) -> Visitor:
    visitor.look(1200)
    visitor.sign_in(office.ben)
    return visitor


def test_signing_in_by_keyboard(visitor: Visitor, office: Office) -> None:
    office.ben.set_password("correct horse")
    office.ben.save()
    visitor.open(f"{INBOX}?tab=mentions")
    assert visitor.at() == f"/sign-in/?next={INBOX}%3Ftab%3Dmentions"
    visitor.type("ben@brightwater.example\twrong\n")
    visitor.until(lambda: "No account has this" in visitor.text("[role=alert]"))
    visitor.type("correct horse\n")
    visitor.until(lambda: visitor.at() == f"{INBOX}?tab=mentions")
    assert "Chiara mentioned you in a comment" in visitor.text()


def test_reading_and_marking(ben: Visitor) -> None:
    ben.open(INBOX)
    assert (ben.text("#unread-number"), len(ben.all(".entry"))) == ("5", 7)
    ben.press_and_leave("Mark read", FIRST)
    assert "Marked as read." in ben.text("[role=status].done")
    assert (ben.text("#unread-number"), len(ben.all(".entry.unread"))) == ("4", 4)
    ben.press_and_leave("Archive", FIRST)
    assert len(ben.all(".entry")) == 6
    ben.press("Snooze", FIRST)
    ben.press_and_leave("Until tomorrow, 9:00", FIRST)
    assert len(ben.all(".entry")) == 5
    ben.press_and_leave("Snoozed", ".tabs")
    assert len(ben.all(".entry")) == 2
    assert "snoozed until" in ben.text(FIRST)
    ben.press_and_leave("All", ".tabs")
    ben.press_and_leave("Mark all read")
    assert ben.all(".entry.unread") == []
    assert not ben.one("#unread").is_displayed()


def test_opening_an_issue_and_leaving_it(ben: Visitor, office: Office) -> None:
    ben.open(f"{INBOX}?tab=mentions")
    ben.press_and_leave("Checkout hangs")
    assert ben.text("h1") == "BRIGHTWATER-1 Checkout hangs when two vouchers are used"
    assert "Hi @Ben, could you look" in ben.text()
    assert ben.text("#unread-number") == "4"
    ben.press_and_leave("Mark as read")
    assert ben.text("#unread-number") == "3"
    ben.press_and_leave("Unsubscribe")
    office.comment("elif", Issue.objects.get(name__startswith="Checkout").id, "<p>Fixed</p>")
    ben.press_and_leave("Subscribe")
    assert "You follow this issue." in ben.text()
    assert ben.text("#unread-number") == "3"


def test_the_count_is_kept_up_to_date_and_told(ben: Visitor, office: Office) -> None:
    ben.open(INBOX)
    assert ben.chrome.title == "(5) All · Inbox · Singlepost"
    Notification.objects.filter(sender__endswith="mentioned").update(read_at=timezone.now())
    ben.come_back()
    ben.until(lambda: ben.text("#unread-number") == "4")
    assert not ben.one("#fresh").is_displayed()
    office.create("ana", "A new one", assignee_ids=[office.ben.id])
    ben.come_back()
    ben.until(lambda: ben.text("#unread-number") == "6")
    assert ben.run("return document.getElementById('unread-said').textContent") == "6 unread notifications"
    assert ben.chrome.title == "(6) All · Inbox · Singlepost"
    ben.press_and_leave("Show them")
    assert "A new one" in ben.text(FIRST)
    assert ben.complaints() == []


def test_it_asks_every_fifteen_seconds_while_it_is_looked_at(ben: Visitor) -> None:
    noted = """
        window.asked = 0;
        window.fetch = async () => { asked += 1; return { ok: false }; };
        window.setInterval = (run, delay) => { window.timer = { run, delay }; };
        Object.defineProperty(document, "visibilityState", { get: () => window.state });
    """
    with ben.before_its_own(noted):
        ben.open(INBOX)
        asked = [
            ben.run("window.state = arguments[0]; timer.run(); return asked", state)
            for state in ("visible", "hidden", "visible")
        ]
    assert (ben.run("return timer.delay"), asked) == (15_000, [1, 1, 2])


def test_all_of_it_works_without_javascript(ben: Visitor, office: Office) -> None:
    ben.without_javascript()
    ben.open(INBOX)
    ben.press_and_leave("Mark read", FIRST)
    ben.press("Snooze", FIRST)
    ben.press_and_leave("For an hour", FIRST)
    ben.press_and_leave("Assigned", ".tabs")
    ben.press_and_leave("Mark all read")
    ben.press_and_leave("Settings")
    ben.press("Comments", "#everywhere")
    ben.press_and_leave("Save", "#everywhere")
    assert UserNotificationPreference.objects.get().comment is False
    ben.press_and_leave("Sign out")
    assert ben.at() == "/sign-in/"


def test_settings_of_a_project(ben: Visitor) -> None:
    ben.open("/brightwater/settings/account/notifications/")
    ben.press("Booking app")
    project = "details[open]"
    ben.press("Mentions", project)
    ben.press_and_leave("Save", project)
    assert "Saved: Booking app." in ben.text()
    assert "its own settings" in ben.text(project)
    ben.press_and_leave("Use the broader settings again", project)
    assert ben.all(project) == []
    assert not UserNotificationPreference.objects.exists()
