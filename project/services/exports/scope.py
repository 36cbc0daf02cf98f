"""What a person may see: asked when an export is wanted, when it is made, and for each link to it."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef

from project.models import ProjectMember, Role, WorkspaceMember


@dataclass(frozen=True)
class Scope:
    """Ids of the projects that a person sees in full, and of those where they see their own issues only.

    Own are the issues that a guest created or is assigned to, if the project shows guests no others.
    """

    full: frozenset[UUID] = frozenset()
    own: frozenset[UUID] = frozenset()

    @property
    def projects(self) -> frozenset[UUID]:
        """All of them."""
        return self.full | self.own

    def covers(self, other: "Scope") -> bool:
        """Whether everything that `other` sees is seen here, too."""
        return other.full <= self.full and other.own <= self.projects

    def within(self, projects: frozenset[UUID]) -> "Scope":
        """Return what is left of it in these projects."""
        return Scope(self.full & projects, self.own & projects)


def scope_of(user_id: UUID, workspace_id: UUID) -> Scope:
    """Return what the tables say now, in one query: nothing, unless account and memberships are active."""
    in_workspace = WorkspaceMember.objects.filter(
        workspace_id=workspace_id, member_id=OuterRef("member_id"), is_active=True
    )
    memberships = ProjectMember.objects.filter(
        Exists(in_workspace),
        member_id=user_id,
        member__is_active=True,
        is_active=True,
        project__workspace_id=workspace_id,
        project__deleted_at=None,
        project__workspace__deleted_at=None,
    ).values_list("project_id", "role", "project__guest_view_all_features")
    full = frozenset(project for project, role, sees_all in memberships if role > Role.GUEST or sees_all)
    return Scope(full, frozenset(project for project, _, _ in memberships) - full)
