"""Small makers of rows for every test: people, a team around one project, issues, comments."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from project.models import (
    Issue,
    IssueAssignee,
    IssueComment,
    IssueLabel,
    IssueSubscriber,
    Label,
    Project,
    ProjectMember,
    Role,
    State,
    StateGroup,
    User,
    Workspace,
    WorkspaceMember,
)
from project.services.notifications.plain_text import plain_text

NAMES = ("ann", "bob", "carl", "dora", "eve")


@dataclass(frozen=True)
class Team:
    """A workspace with one project; `states` by group, `members` by first name (ann is admin and owner)."""

    workspace: Workspace
    project: Project
    states: dict[str, State]
    members: dict[str, User]


def make_user(name: str, **fields: Any) -> User:
    """A person with a verified address (``<name>@example.org`` unless `email` is given), no password."""
    verified = {"is_email_verified": True, "is_email_valid": True}
    given = {"email": f"{name}@example.org", "first_name": name.title(), "display_name": name, **verified}
    return User.objects.create_user(**{**given, **fields})


def make_team(slug: str = "acme", names: Iterable[str] = NAMES, **project_fields: Any) -> Team:
    """A workspace `slug` with project ``ACME``; the first of `names` is its admin, the others are members.

    Addresses are ``<name>@<slug>.example``, so two teams of different slugs can live side by side.
    """
    members = {name: make_user(name, email=f"{name}@{slug}.example") for name in names}
    owner = next(iter(members.values()))
    workspace = Workspace.objects.create(name=slug.title(), slug=slug, owner=owner)
    given = {"name": "Rocket", "identifier": slug.upper()[:12], **project_fields}
    project = Project.objects.create(workspace=workspace, **given)
    for user in members.values():
        join(workspace, project, user, Role.ADMIN if user == owner else Role.MEMBER)
    states = {
        group: State.objects.create(
            workspace=workspace,
            project=project,
            name=group.label,
            group=group,
            default=group == StateGroup.BACKLOG,
        )
        for group in StateGroup
        if group != StateGroup.TRIAGE
    }
    return Team(workspace, project, {str(group): state for group, state in states.items()}, members)


def join(workspace: Workspace, project: Project, user: User, role: Role) -> None:
    """Make `user` an active member of both, in the same role."""
    WorkspaceMember.objects.create(workspace=workspace, member=user, role=role)
    ProjectMember.objects.create(workspace=workspace, project=project, member=user, role=role)


def make_issue(
    team: Team, *, assignees: Iterable[User] = (), subscribers: Iterable[User] = (), **fields: Any
) -> Issue:
    """An issue of the team's project, by the first member in state backlog unless `fields` say otherwise."""
    project = team.project
    given = {
        "name": "Fix the door",
        "state": team.states["backlog"],
        "created_by": next(iter(team.members.values())),
        "sequence_id": Issue.all_objects.filter(project=project).count() + 1,
        **fields,
    }
    place = {"workspace": team.workspace, "project": project}
    issue = Issue.objects.create(**place, **given)
    IssueAssignee.objects.bulk_create(IssueAssignee(**place, issue=issue, assignee=u) for u in assignees)
    IssueSubscriber.objects.bulk_create(
        IssueSubscriber(**place, issue=issue, subscriber=u) for u in subscribers
    )
    return issue


def make_comment(issue: Issue, actor: User, html: str = "<p>Hello</p>", **fields: Any) -> IssueComment:
    """A comment of `actor` on `issue`."""
    return IssueComment.objects.create(
        workspace=issue.workspace,
        project=issue.project,
        issue=issue,
        actor=actor,
        created_by=actor,
        comment_html=html,
        comment_stripped=plain_text(html),
        **fields,
    )


def make_label(team: Team, name: str, *on: Issue) -> Label:
    """A label of the team's project, put on the issues `on`."""
    place = {"workspace": team.workspace, "project": team.project}
    label = Label.objects.create(**place, name=name)
    IssueLabel.objects.bulk_create(IssueLabel(**place, issue=issue, label=label) for issue in on)
    return label
