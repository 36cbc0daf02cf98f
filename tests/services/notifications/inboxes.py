"""Makes notifications as the fan-out leaves them, and short words for what is in an inbox."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from project.models import Issue, Notification, User
from project.services.notifications.inbox import Inbox, Selection
from tests.services.notifications.events import NOW


def make_notification(
    receiver: User, issue: Issue, *, actor: User | None = None, reason: str = "subscribed", **fields: Any
) -> Notification:
    """A notification about `issue`, by default a changed priority; `title` is what tests know it by."""
    activity = fields.pop("activity", {"field": "priority", "old_value": "low", "new_value": "high"})
    details = {"id": str(issue.id), "name": issue.name, "sequence_id": issue.sequence_id}
    return Notification.objects.create(
        workspace=issue.workspace,
        project=issue.project,
        receiver=receiver,
        triggered_by=actor or issue.created_by,
        entity_identifier=issue.id,
        sender=f"in_app:issue_activities:{reason}",
        **{
            "data": {
                "issue": {**details, "identifier": issue.project.identifier},
                "issue_activity": {"verb": "updated", "issue_comment": None, **activity},
            },
            "entity_name": "issue",
            "created_at": NOW,
            "title": "updated the priority to",
            **fields,
        },
    )


def titles(inbox: Inbox, *, now: datetime = NOW, **chosen: Any) -> list[str]:
    """The titles of what a selection means, in their order."""
    return [row.title for row in inbox.selected(Selection(**chosen), now=now)]


def make_many(issue: Issue, receivers: Iterable[User], number: int) -> None:
    """So many notifications for each, a second apart; the ten newest unread."""
    with connection.cursor() as cursor:
        for receiver in receivers:
            cursor.execute(
                """
                INSERT INTO notifications (
                    id, created_at, updated_at, workspace_id, project_id, receiver_id, entity_identifier,
                    entity_name, sender, title, message_html, read_at
                )
                SELECT gen_random_uuid(), %(now)s - n * interval '1 second', %(now)s, %(workspace)s, %(project)s,
                    %(receiver)s, %(issue)s, 'issue', '', n, '', CASE WHEN n > 10 THEN %(now)s END
                FROM generate_series(1, %(number)s) AS n
                """,
                {
                    "now": NOW,
                    "workspace": issue.workspace_id,
                    "project": issue.project_id,
                    "receiver": receiver.id,
                    "issue": issue.id,
                    "number": number,
                },
            )


def ago(minutes: float) -> datetime:
    return NOW - timedelta(minutes=minutes)
