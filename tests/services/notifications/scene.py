"""A project with one person of each kind around an issue, and somebody at another issue who may be concerned."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone
from rest_framework.test import APIClient

from project.models import (
    Cycle,
    CycleIssue,
    EmailNotificationLog,
    Estimate,
    EstimatePoint,
    FileAsset,
    Issue,
    IssueEvent,
    IssueLink,
    IssueRelation,
    IssueSubscriber,
    Module,
    ModuleIssue,
    Notification,
    Project,
    State,
    User,
)
from project.services.notifications.automation import Automation
from project.services.notifications.fan_out import fan_out
from tests.factories import Team, make_issue, make_team
from tests.views.api import issue_url

#: Who is around: `named` are newly assigned or mentioned, `neighbour` created the other issue, `left` unsubscribed.
PEOPLE = ("actor", "creator", "assignee", "follower", "named", "left", "neighbour", "other")


@dataclass(frozen=True)
class Scene:
    """`client` is the actor's; `other` is the other issue."""

    team: Team
    client: APIClient
    issue: Issue
    other: Issue

    def call(self, method: str, url: str, body: dict[str, Any]) -> Any:
        response = getattr(self.client, method)(url, body, format="json")
        assert response.status_code < 300, response.json()
        return response

    def on_issue(self, method: str, rest: str = "", **body: Any) -> Any:
        return self.call(method, issue_url(self.issue, rest), body)

    def on_project(self, method: str, rest: str, **body: Any) -> Any:
        project = self.team.project
        url = f"/api/workspaces/{project.workspace.slug}/projects/{project.id}/{rest}"
        return self.call(method, url, body)

    def id_of(self, person: str) -> str:
        return str(self.team.members[person].id)

    def mention(self) -> str:
        """HTML that mentions the one who is to be named."""
        return (
            f'<p>Look <mention-component entity_identifier="{self.id_of("named")}" '
            f'entity_name="user_mention"></mention-component></p>'
        )

    @property
    def place(self) -> dict[str, Any]:
        return {"workspace": self.team.workspace, "project": self.team.project}

    def link(self) -> IssueLink:
        return IssueLink.objects.create(**self.place, issue=self.issue, url="https://example.org/a")

    def attachment(self) -> FileAsset:
        return FileAsset.objects.create(
            **self.place,
            issue=self.issue,
            asset=f"{self.team.workspace.id}/{uuid4().hex}-plan.pdf",
            entity_type="ISSUE_ATTACHMENT",
            created_by=self.team.members["actor"],
        )

    def relation(self) -> IssueRelation:
        return IssueRelation.objects.create(**self.place, issue=self.issue, related_issue=self.other)

    def cycle(self, *issues: Issue, name: str = "Sprint 4") -> Cycle:
        cycle = Cycle.objects.create(**self.place, name=name, owned_by=self.team.members["actor"])
        CycleIssue.objects.bulk_create(CycleIssue(**self.place, cycle=cycle, issue=issue) for issue in issues)
        return cycle

    def module(self, *issues: Issue, name: str = "Doors") -> Module:
        module = Module.objects.create(**self.place, name=name)
        ModuleIssue.objects.bulk_create(
            ModuleIssue(**self.place, module=module, issue=issue) for issue in issues
        )
        return module

    def estimate_point(self, value: str = "5") -> EstimatePoint:
        estimate, _ = Estimate.objects.get_or_create(**self.place, name="Points", type="points")
        return EstimatePoint.objects.create(**self.place, estimate=estimate, value=value)

    def change(self, **columns: Any) -> None:
        """Let the issue be otherwise from the start."""
        Issue.objects.filter(id=self.issue.id).update(**columns)

    def into_triage(self) -> None:
        self.change(state=State.objects.create(**self.place, name="Triage", group="triage", is_triage=True))

    def default_assignee(self) -> None:
        Project.objects.filter(id=self.team.project.id).update(default_assignee=self.team.members["named"])


def make_scene(door: Callable[[User], APIClient]) -> Scene:
    team = make_team("book", names=PEOPLE)
    people = team.members
    around = {"assignees": [people["assignee"]], "subscribers": [people["assignee"], people["follower"]]}
    issue = make_issue(team, created_by=people["creator"], **around)
    IssueSubscriber.objects.create(
        workspace=team.workspace,
        project=team.project,
        issue=issue,
        subscriber=people["left"],
        deleted_at=timezone.now(),
    )
    other = make_issue(team, created_by=people["neighbour"])
    return Scene(team, door(people["actor"]), issue, other)


def quarter_idle() -> Automation:
    """A rule that finds every issue of the scene idle."""
    return Automation(months=3, idle_since=timezone.now() + timedelta(minutes=1), run=UUID(int=7))


def tell_of_all() -> set[str]:
    """Fan all events out; return their kinds."""
    events = list(IssueEvent.objects.order_by("occurred_at"))
    for event in events:
        fan_out(event.id, event.dispatch, now=timezone.now(), limits=settings.LIMITS)
    return {event.kind for event in events}


def told_in_inbox(team: Team) -> dict[str, str]:
    """Say how each person who is told of something is told in the inbox: as a mention, or simply so."""
    return _told(team, Notification.objects.all())


def told_by_mail(team: Team) -> dict[str, str]:
    """The same of the lines that wait to be mailed."""
    return _told(team, EmailNotificationLog.objects.all())


def _told(team: Team, rows: Any) -> dict[str, str]:
    names = {user.id: name for name, user in team.members.items()}
    told: dict[str, str] = {}
    for row in rows:
        mention = str(getattr(row, "sender", "")).endswith(":mentioned") or _field(row) == "mention"
        name = names[row.receiver_id]
        told[name] = "mention" if mention or told.get(name) == "mention" else "told"
    return told


def _field(row: Any) -> str | None:
    field: str | None = row.data["issue_activity"]["field"]
    return field
