"""A team whose work fills an inbox with everything there is, by way of the real fan-out."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone

from project.limits import Limits
from project.models import Issue, Notification, User, Wake
from project.services.notifications.comments import create_comment
from project.services.notifications.fan_out import fan_out
from project.services.notifications.issues import create_issue, update_issue
from tests.factories import Team, make_team

PEOPLE = {
    "ana": ("Ana", "Duarte"),
    "ben": ("Ben", "Okafor"),
    "chiara": ("Chiara", "Lombardi"),
    "elif": ("Elif", "Yılmaz"),
}
DESCRIPTION = """<p>The <strong>second</strong> voucher is accepted, then the spinner never stops.</p>
<ul><li>14 reports so far</li><li>since <code>v2.31</code></li></ul>
<blockquote>It hung for ten minutes, then I missed the ferry.</blockquote>"""
MENTION = (
    '<p>Hi <mention-component entity_identifier="{}" entity_name="user_mention"></mention-component>, '
    "could you look at the voucher service? I think that it waits for a lock.</p>"
)


@dataclass
class Office:
    """Ben's view of the team; `now` moves on with everything that is done."""

    team: Team
    now: datetime
    limits: Limits

    @property
    def ben(self) -> User:
        return self.team.members["ben"]

    def create(self, who: str, name: str, **values: Any) -> UUID:
        issue, wakes = create_issue(
            self.team.project, {"name": name, **values}, actor=self.team.members[who], now=self._later()
        )
        self._tell(wakes)
        return issue.id

    def change(self, who: str, issue: UUID, **values: Any) -> None:
        self._tell(update_issue(issue, values, actor=self.team.members[who], now=self._later()))  # type: ignore[arg-type]

    def comment(self, who: str, issue: UUID, html: str) -> None:
        self._tell(create_comment(issue, html, actor=self.team.members[who], now=self._later())[1])

    def _later(self) -> datetime:
        self.now += timedelta(minutes=3)
        return self.now

    def _tell(self, wakes: list[Wake]) -> None:
        for wake in wakes:
            fan_out(wake.row_id, wake.dispatch, now=self.now, limits=self.limits)


def make_office() -> Office:
    """Two issues of which Ben was told nine things: one is snoozed, one archived, two are read."""
    team = make_team("brightwater", names=PEOPLE, name="Booking app")
    for key, (first, last) in PEOPLE.items():
        User.objects.filter(id=team.members[key].id).update(
            first_name=first, last_name=last, display_name=first, user_timezone="Europe/Lisbon"
        )
        team.members[key].refresh_from_db()
    office = Office(team, timezone.now() - timedelta(hours=1), Limits())
    voucher = office.create(
        "ana",
        "Checkout hangs when two vouchers are used",
        description_html=DESCRIPTION,
        assignee_ids=[office.ben.id],
        priority="high",
    )
    office.change("chiara", voucher, state_id=team.states["started"].id, target_date=office.now.date())
    office.comment("chiara", voucher, MENTION.format(office.ben.id))
    office.comment("elif", voucher, "<p>It does. See <a href='https://example.org/trace'>the trace</a>.</p>")
    seats = office.create("ben", "Seat map cannot be used with the keyboard: focus jumps to the footer")
    office.change("elif", seats, assignee_ids=[team.members["elif"].id], priority="urgent")
    office.comment("ana", seats, "<p>" + "The harbour office asked for this again. " * 12 + "</p>")
    told = list(Notification.objects.filter(receiver=office.ben).order_by("created_at", "id"))
    told[0].read_at = told[1].read_at = office.now
    told[2].archived_at = office.now
    told[3].snoozed_till = office.now + timedelta(hours=20)
    Notification.objects.bulk_update(told[:4], ["read_at", "archived_at", "snoozed_till"])
    return office


def issue_path(issue: Issue) -> str:
    return f"/{issue.workspace.slug}/projects/{issue.project_id}/issues/{issue.id}"
