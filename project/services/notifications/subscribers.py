"""Following an issue, and leaving it."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from project.models import Issue, IssueSubscriber, User
from project.services.notifications.record import locked


def is_subscribed(issue_id: UUID, user: User) -> bool:
    """Tell whether `user` follows the issue."""
    return IssueSubscriber.objects.filter(issue=issue_id, subscriber=user).exists()


@transaction.atomic(durable=True)
def subscribe(issue_id: UUID, user: User, *, now: datetime) -> bool:
    """Let `user` follow the issue; return False if that is so already.

    Raises:
        Issue.DoesNotExist: if there is no such issue any more.
    """
    issue = locked(issue_id)
    if is_subscribed(issue_id, user):
        return False
    # The fan-out may subscribe the same person at the same time; it does not wait for the issue's lock.
    IssueSubscriber.objects.bulk_create([_row(issue, user, now)], ignore_conflicts=True)
    return True


@transaction.atomic(durable=True)
def leave(issue_id: UUID, user: User, *, now: datetime) -> None:
    """Note that `user` does not want to follow the issue; to have left already is fine.

    Somebody who never subscribed, and hears of the issue as its creator or assignee only, leaves as well.

    Raises:
        Issue.DoesNotExist: if there is no such issue any more.
    """
    issue = locked(issue_id)
    rows = IssueSubscriber.all_objects.filter(issue=issue, subscriber=user)
    left = rows.filter(deleted_at=None).update(deleted_at=now, updated_at=now, updated_by=user)
    if not left and not rows.exists():
        never_followed = _row(issue, user, now)
        never_followed.deleted_at = now
        never_followed.save(force_insert=True)


def _row(issue: Issue, user: User, now: datetime) -> IssueSubscriber:
    return IssueSubscriber(
        issue=issue,
        project_id=issue.project_id,
        workspace_id=issue.workspace_id,
        subscriber=user,
        created_at=now,
        created_by=user,
        updated_by=user,
    )
