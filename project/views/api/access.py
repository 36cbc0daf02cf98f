"""Which workspace and project a request is about, and what the caller may see of them."""

from typing import NamedTuple
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from rest_framework.exceptions import NotFound, PermissionDenied

from project.models import (
    Issue,
    IssueAssignee,
    Project,
    ProjectMember,
    Role,
    User,
    Workspace,
    WorkspaceMember,
)


class Access(NamedTuple):
    """A project and the caller's role in it."""

    project: Project
    role: int


def joined(user: User) -> QuerySet[Workspace]:
    """Return the workspaces of which `user` is an active member, by name."""
    membership = WorkspaceMember.objects.filter(workspace=OuterRef("pk"), member=user, is_active=True)
    return Workspace.objects.filter(Exists(membership)).order_by("name", "id")


def memberships_of(user: User) -> QuerySet[WorkspaceMember]:
    """Return the active memberships of `user`, each with its workspace, by the workspaces' names."""
    memberships = WorkspaceMember.objects.filter(member=user, is_active=True, workspace__deleted_at=None)
    return memberships.select_related("workspace").order_by("workspace__name", "workspace_id")


def access(user: User, slug: str, project_id: UUID) -> Access:
    """Look the project up, in one query.

    Raises:
        NotFound: if there is no such project in a workspace of which the user is an active member.
        PermissionDenied: if the user is no active member of the project.
    """
    membership = ProjectMember.objects.filter(project=OuterRef("pk"), member=user, is_active=True)
    in_workspace = WorkspaceMember.objects.filter(
        workspace=OuterRef("workspace"), member=user, is_active=True
    )
    project = (
        Project.objects.filter(
            Exists(in_workspace), id=project_id, workspace__slug=slug, workspace__deleted_at=None
        )
        .annotate(role=Subquery(membership.values("role")))
        .first()
    )
    if project is None:
        raise NotFound("There is no such project.")
    if project.role is None:
        raise PermissionDenied("You are not a member of this project.")
    return Access(project, project.role)


def visible_issues(user: User, project: Project, role: int) -> QuerySet[Issue]:
    """Return the issues that the caller may see: a guest sees others' only if the project says so."""
    issues = Issue.objects.filter(project=project)
    if role > Role.GUEST or project.guest_view_all_features:
        return issues
    assigned = IssueAssignee.objects.filter(issue=OuterRef("pk"), assignee=user)
    return issues.filter(Q(created_by=user) | Exists(assigned))
