"""Who may export the issues of a workspace."""

from rest_framework.exceptions import PermissionDenied

from project.models import Role, User, Workspace, WorkspaceMember

#: What to do about having too many open ones.
ADVICE = "Please wait for one of them, or cancel one."


def may_export(membership: WorkspaceMember) -> bool:
    """Whether an active member of a workspace may export its issues: who is not only a guest, as in Plane."""
    return membership.role > Role.GUEST


def refuse_guests(user: User, workspace: Workspace) -> None:
    """Stop who may not export, in Plane's words.

    Raises:
        PermissionDenied: if they may not.
    """
    memberships = WorkspaceMember.objects.filter(workspace=workspace, member=user, is_active=True)
    if not any(map(may_export, memberships)):
        raise PermissionDenied("You don't have the required permissions.")
