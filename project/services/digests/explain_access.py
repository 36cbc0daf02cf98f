"""Why somebody may not see an issue, as the tables stand now."""

from collections.abc import Callable

from project.models import ProjectMember, Role, Workspace, WorkspaceMember
from project.services.digests.explain_standing import Standing
from project.services.digests.explain_story import Why, since


def why_no_access(standing: Standing) -> Why | None:
    """Say which membership is missing, or that guests do not see the issue; None if the person may see it."""
    return next(filter(None, (question(standing) for question in QUESTIONS)), None)


def why_not_in_workspace(row: WorkspaceMember | None, workspace: Workspace) -> Why | None:
    """Say why somebody with this row is not an active member; None if they are."""
    return _membership(row, f"the workspace {workspace.slug}")


def _workspace(standing: Standing) -> Why | None:
    return why_not_in_workspace(standing.in_workspace, standing.issue.workspace)


def _project(standing: Standing) -> Why | None:
    return _membership(standing.in_project, f"the project {standing.issue.project.identifier}")


def _membership(row: WorkspaceMember | ProjectMember | None, place: str) -> Why | None:
    member_again = f"they were an active member of {place}"
    if row is None:
        return Why(f"is not a member of {place}", member_again)
    if row.deleted_at:
        return Why(f"is not a member of {place} any more{since(row.deleted_at)}", member_again)
    if not row.is_active:
        return Why(f"is not an active member of {place}{since(row.updated_at, at_least=True)}", member_again)
    return None


def _guest(standing: Standing) -> Why | None:
    role = standing.in_project.role if standing.in_project else Role.GUEST
    open_to_guests = standing.issue.project.guest_view_all_features or standing.created or standing.assigned
    if role > Role.GUEST or open_to_guests:
        return None
    return Why(
        f"is a guest, and {standing.issue.project.identifier} hides other people's issues from guests",
        "they were a member, assigned, or the project let guests see all issues",
    )


QUESTIONS: tuple[Callable[[Standing], Why | None], ...] = (_workspace, _project, _guest)
