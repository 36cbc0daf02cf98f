"""Log rows and notifications: nothing is listed before something is searched for, they are too many."""

from django.contrib import admin

from project.admin.reading import Readable
from project.admin.table import moment
from project.models import EmailNotificationLog, Notification

FIRST = "An id, the receiver's address, or an issue's key such as ACME-12: nothing is listed before"


class Told(Readable):
    """Rows that tell one person of one activity."""

    list_select_related = ("receiver", "triggered_by")
    ordering = ("-created_at", "id")
    person, issue = "receiver", "entity_identifier"
    wanted_first = True
    search_help_text = FIRST

    @admin.display(description="Issue")
    def key(self, row: Notification | EmailNotificationLog) -> str:
        """What people call the issue, as it was called then."""
        about = (row.data or {}).get("issue") or {}
        return f"{about.get('identifier', '?')}-{about.get('sequence_id', '?')}"

    @admin.display(description="What")
    def what(self, row: Notification | EmailNotificationLog) -> str:
        """The changed field, or "mention"."""
        changed = (row.data or {}).get("issue_activity") or {}
        return changed.get("field") or changed.get("verb") or "?"


@admin.register(EmailNotificationLog)
class LogAdmin(Told):
    """Lines to mail."""

    list_display = (
        "receiver",
        "key",
        "what",
        moment("created_at"),
        moment("processed_at"),
        moment("sent_at"),
    )
    explained_as = "log"


@admin.register(Notification)
class NotificationAdmin(Told):
    """Rows of inboxes."""

    list_display = ("receiver", "key", "what", "sender", moment("created_at"), moment("read_at"))
    explained_as = "notification"
