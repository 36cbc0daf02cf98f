"""Builds the rows of a fan-out: notifications and log rows in Plane's shape, subscriptions.

Unlike Plane's, the data is honest: what is missing is null, never the text "None"; and both kinds of rows
carry every key. Long values are cut, since every receiver gets a copy; the whole is in the activity.

Two keys of ``data.issue_activity`` are ours:

* ``bulk_id`` names the act, such as a change of 40 issues at once or a run of a rule of the project, that this
  activity is a part of; null if it stands alone. All events of one act have the same.
* ``automatic`` says why a rule of the project did it, as in "automatically after 3 months without activity"; null
  if somebody did it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.html import format_html

from project.models import (
    EmailNotificationLog,
    Entity,
    Issue,
    IssueActivity,
    IssueEvent,
    IssueSubscriber,
    Notification,
)
from project.services.notifications.audience import Reason, Telling
from project.services.notifications.names import Kind, log_id, notification_id

VALUE_LENGTH = 10_000  # characters


@dataclass(frozen=True)
class Rows:
    """Makes the rows of one event.

    `issue` comes with its project, workspace and state, and `event` with its actor: nothing is loaded here.
    """

    event: IssueEvent
    issue: Issue
    now: datetime

    def notification(self, telling: Telling) -> Notification:
        """Return the in-app row of a telling."""
        activity = telling.activity
        row = Notification(
            id=notification_id(activity.id, telling.receiver_id, telling.kind),
            created_at=self.now,
            workspace_id=self.issue.workspace_id,
            project_id=self.issue.project_id,
            entity_name=Entity.ISSUE,
            entity_identifier=self.issue.id,
            receiver_id=telling.receiver_id,
            triggered_by_id=self.event.actor_id,
            sender=f"in_app:issue_activities:{telling.reason}",
            title=activity.comment,
            data=self._data(activity, activity.field),
        )
        if telling.reason is Reason.MENTIONED:
            row.title, row.message = "", self._mention(activity)
            row.message_html, row.message_stripped = format_html("<p>{}</p>", row.message), row.message
        return row

    def log(self, telling: Telling, triggered_by: UUID) -> EmailNotificationLog:
        """Return the line to mail of a telling. `triggered_by` fills a column that must not be null."""
        activity = telling.activity
        return EmailNotificationLog(
            id=log_id(activity.id, telling.receiver_id, telling.kind),
            created_at=self.now,
            entity_name=Entity.ISSUE,
            entity_identifier=self.issue.id,
            receiver_id=telling.receiver_id,
            triggered_by_id=triggered_by,
            data=self._data(activity, "mention" if telling.kind is Kind.MENTION else activity.field),
        )

    def subscription(self, subscriber_id: UUID) -> IssueSubscriber:
        """Return the row by which somebody follows the issue from now on."""
        return IssueSubscriber(
            created_at=self.now,
            workspace_id=self.issue.workspace_id,
            project_id=self.issue.project_id,
            issue=self.issue,
            subscriber_id=subscriber_id,
            created_by_id=subscriber_id,
            updated_by_id=subscriber_id,
        )

    def _mention(self, activity: IssueActivity) -> str:
        if activity.field != "comment":
            return f"You have been mentioned in the issue {self.issue.name}"
        actor = self.event.actor.display_name if self.event.actor else ""
        return f"{actor or 'Somebody'} has mentioned you in a comment in issue {self.issue.name}"

    def _data(self, activity: IssueActivity, field: str | None) -> dict[str, Any]:
        issue, state, comment = self.issue, self.issue.state, activity.issue_comment
        # A deleted comment's text is not handed round again.
        said = comment.comment_stripped if comment and not comment.deleted_at else None
        return {
            "issue": {
                "id": str(issue.id),
                "name": issue.name,
                "identifier": issue.project.identifier,
                "sequence_id": issue.sequence_id,
                "state_name": state and state.name,
                "state_group": state and state.group,
                "project_id": str(issue.project_id),
                "workspace_slug": issue.workspace.slug,
            },
            "issue_activity": {
                "id": str(activity.id),
                "verb": activity.verb,
                "field": field,
                "actor": _text(activity.actor_id),
                "new_value": _cut(activity.new_value),
                "old_value": _cut(activity.old_value),
                "issue_comment": _cut(said),
                "old_identifier": _text(activity.old_identifier),
                "new_identifier": _text(activity.new_identifier),
                "activity_time": activity.created_at.isoformat(),
                "bulk_id": _text(self.event.bulk_id),
                "automatic": activity.automatic or None,
            },
        }


def _cut(value: str | None) -> str | None:
    return value if value is None or len(value) <= VALUE_LENGTH else f"{value[:VALUE_LENGTH]}…"


def _text(value: UUID | None) -> str | None:
    return None if value is None else str(value)
