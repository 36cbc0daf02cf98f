"""People who comment on issues, and what has to come of it."""

from dataclasses import dataclass, field
from itertools import cycle

from django.conf import settings
from django.utils import timezone

from project.actors.notifications import fan_out_event
from project.actors.wakes import send_wakes
from project.demo.audit import audit
from project.demo.effects import Effect
from project.demo.patience import wait_for
from project.demo.progress import Unfinished
from project.models import DigestStatus, EmailNotificationLog, Issue
from project.services.maintenance.verify import verify
from project.services.notifications.comments import create_comment
from tests.factories import make_issue, make_team

SETTLE = 60  # seconds


@dataclass
class Talk:
    """Three people who follow the same three issues."""

    issues: list[Issue] = field(default_factory=list)
    comments: int = 0

    def __post_init__(self) -> None:
        people = make_team("flow", ["ann", "bob", "eve"])
        self._people = cycle(people.members.values())
        followers = list(people.members.values())
        self.issues = [make_issue(people, subscribers=followers) for _ in range(3)]

    def go_on(self) -> None:
        """Let the next one comment on each issue, as a request to the API does."""
        author = next(self._people)
        for issue in self.issues:
            _, wakes = create_comment(issue.id, f"<p>{self.comments}</p>", actor=author, now=timezone.now())
            send_wakes(fan_out_event, wakes)
            self.comments += 1

    def is_fanned_out(self) -> bool:
        """Whether a log row waits for, or had, its mail for all that was said."""
        return EmailNotificationLog.objects.count() == 2 * self.comments

    def is_settled(self) -> bool:
        """Whether everything that was said has been mailed."""
        left = Unfinished.now()
        return not (left.events or left.lines or left.digests)

    def assert_each_was_mailed_once(self, effects: list[Effect]) -> None:
        """Every comment reached the two others in one mail each, and the tables contradict nothing."""
        lines = EmailNotificationLog.objects.filter(line__digest__status=DigestStatus.SENT)
        found = audit(effects)
        assert lines.count() == EmailNotificationLog.objects.count() == 2 * self.comments
        assert found.exact
        assert found.arrived == found.digests.total() > 0
        assert verify(now=timezone.now(), limits=settings.LIMITS) == []

    def settle(self) -> None:
        """Wait until everything has been mailed."""
        wait_for("all mails sent", self.is_settled, seconds=SETTLE)
