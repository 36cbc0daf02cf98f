"""What an administrator does in the tables, since the API has no request for it."""

from uuid import UUID

from project.models import ProjectMember, UserNotificationPreference


def switch_comment_mails_off(user: UUID) -> None:
    """Write the preference of somebody who wants no mails about comments; all else stays on."""
    UserNotificationPreference.objects.create(user_id=user, comment=False)


def remove_from_project(user: UUID, project: UUID) -> None:
    """End somebody's membership, as Plane does: the row stays, inactive."""
    ProjectMember.objects.filter(member_id=user, project_id=project).update(is_active=False)
