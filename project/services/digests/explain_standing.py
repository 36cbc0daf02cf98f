"""What somebody has to do with an issue, as the tables stand now."""

from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from django.db.models import F, QuerySet

from project.models import Issue, IssueAssignee, IssueSubscriber, ProjectMember, User, WorkspaceMember
from project.models.audited import Audited

A = TypeVar("A", bound=Audited)


@dataclass(frozen=True, kw_only=True)
class Standing:
    """A person's rows around an issue: of each kind the live one, else the one deleted last, else None."""

    person: User
    issue: Issue
    in_workspace: WorkspaceMember | None
    in_project: ProjectMember | None
    assignment: IssueAssignee | None
    subscription: IssueSubscriber | None

    @property
    def created(self) -> bool:
        """Whether they created the issue."""
        return self.issue.created_by_id == self.person.id

    @property
    def assigned(self) -> bool:
        """Whether they are assigned."""
        return self.assignment is not None and self.assignment.deleted_at is None

    @property
    def follows(self) -> bool:
        """Whether they are subscribed."""
        return self.subscription is not None and self.subscription.deleted_at is None

    @property
    def left(self) -> bool:
        """Whether they were subscribed, and left."""
        return self.subscription is not None and self.subscription.deleted_at is not None


def standing(person: User, issue: Issue) -> Standing:
    """Load it. `issue` comes with its project, workspace and state; four queries."""
    return Standing(
        person=person,
        issue=issue,
        in_workspace=membership(person, issue.workspace_id),
        in_project=_newest(ProjectMember.all_objects.filter(project_id=issue.project_id, member=person)),
        assignment=_newest(IssueAssignee.all_objects.filter(issue=issue, assignee=person)),
        subscription=_newest(IssueSubscriber.all_objects.filter(issue=issue, subscriber=person)),
    )


def membership(person: User, workspace_id: UUID) -> WorkspaceMember | None:
    """Load a person's row in a workspace: the live one, else the one deleted last, else None."""
    return _newest(WorkspaceMember.all_objects.filter(workspace_id=workspace_id, member=person))


def _newest(rows: QuerySet[A]) -> A | None:
    return rows.order_by(F("deleted_at").desc(nulls_first=True)).first()
