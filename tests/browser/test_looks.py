"""Each page at the width of a phone and of a desk, light and dark: readable, reachable, without complaints."""

import pytest

from project.models import Issue, Role, UserNotificationPreference
from tests.browser.looks import faults
from tests.browser.office import Office, issue_path
from tests.browser.visitor import Visitor
from tests.factories import join, make_team

SETTINGS = "/brightwater/settings/account/notifications/"


@pytest.fixture
def ben(visitor: Visitor, office: Office) -> Visitor:
    """Ben with two workspaces and preferences of his own, so that all parts of the pages are there."""
    other = make_team("harbour", names=["zoe"])
    join(other.workspace, other.project, office.ben, Role.MEMBER)
    UserNotificationPreference.objects.create(user=office.ben, workspace=office.team.workspace, comment=False)
    visitor.sign_in(office.ben)
    return visitor


@pytest.fixture
def pages(office: Office) -> list[str]:
    issue = Issue.objects.get(name__startswith="Checkout")
    inbox = ["/brightwater/inbox/", "/brightwater/inbox/?tab=snoozed", "/harbour/inbox/"]
    return [*inbox, SETTINGS, issue_path(issue)]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1200])
def test_members_pages(ben: Visitor, pages: list[str], width: int, theme: str) -> None:
    for page in pages:
        ben.look(width, theme)
        ben.open(page)
        ben.run("for (const details of document.querySelectorAll('details')) details.open = true")
        assert (page, faults(ben), ben.complaints()) == (page, [], [])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_for_anybody(visitor: Visitor, theme: str) -> None:
    visitor.look(375, theme)
    visitor.open("/sign-in/")
    assert (faults(visitor), visitor.complaints()) == ([], [])
    visitor.type("nobody@example.org\twrong\n")
    visitor.until(lambda: visitor.all("[role=alert]"))
    assert (faults(visitor), visitor.complaints()) == ([], [])


def test_the_keyboard_reaches_everything_and_shows_where_it_is(ben: Visitor) -> None:
    ben.look(1200)
    ben.open("/brightwater/inbox/")
    reached = []
    for _ in range(14):
        ben.type("\t")
        reached.append(ben.run("return document.activeElement.textContent.trim().replace(/\\s+/g, ' ')"))
        outline = ben.run("return getComputedStyle(document.activeElement).outlineStyle")
        assert (reached[-1], outline) == (reached[-1], "solid")
    assert reached[0] == "Skip to content"
    assert reached[2:6] == ["Inbox 5 unread", "Exports", "Settings", "Sign out"]
    assert reached[8] == "Mark all read"
    assert reached[9:12] == ["All", "Mentions", "Assigned"]
