"""Who may export the issues of a workspace."""

from rest_framework.exceptions import PermissionDenied

from project.models import Role, User, Workspace, WorkspaceMember

#: What to do about having too many open ones.
ADVICE = "Please wait for one of them, or cancel one."


def refuse_guests(user: User, workspace: Workspace) -> None:
    """Stop who is only a guest of the workspace, as Plane does, and in its words.

    Raises:
        PermissionDenied: if the user is no active member or admin of it.
    """
    memberships = WorkspaceMember.objects.filter(workspace=workspace, member=user, is_active=True)
    if not memberships.filter(role__gt=Role.GUEST).exists():
        raise PermissionDenied("You don't have the required permissions.")
