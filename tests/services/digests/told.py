"""An event that reached somebody, and a digest of it, as the real steps leave them behind."""

from datetime import timedelta

from project.models import EmailDigest, Issue, IssueEvent, Story
from project.services.digests.claim import claim
from project.services.notifications.fan_out import fan_out
from tests.factories import Team, make_issue
from tests.services.digests.sending import LIMITS
from tests.services.notifications.events import NOW, RENAMED, make_event

LATER = NOW + timedelta(minutes=10)


def followed(team: Team) -> Issue:
    """An issue of ann's that bob follows."""
    return make_issue(team, subscribers=[team.members["bob"]])


def bob_is_told(issue: Issue) -> IssueEvent:
    """Ann renamed the issue; bob has a notification, and a line that waits."""
    event = make_event(issue, issue.created_by, RENAMED)
    fan_out(event.id, 1, now=NOW, limits=LIMITS)
    return event


def bob_is_to_be_mailed(issue: Issue) -> EmailDigest:
    """The same, and the line is in a digest that waits."""
    bob_is_told(issue)
    claim(now=LATER, limits=LIMITS)
    return EmailDigest.objects.get()


def only(stories: list[Story]) -> Story:
    [story] = stories
    return story
