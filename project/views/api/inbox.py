"""The caller's inbox in a workspace. Everybody sees and changes their own notifications only."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from project.models import Notification
from project.services.notifications.inbox import Inbox
from project.services.notifications.inbox_marks import (
    archive,
    discard,
    mark_read,
    mark_unread,
    snooze,
    unarchive,
)
from project.views.api.inbox_data import NotificationRow, SnoozeBody, shown
from project.views.api.inbox_filters import FiltersBody, selection_of
from project.views.api.inbox_pages import page_of
from project.views.api.workspace_view import WorkspaceView


class InboxView(WorkspaceView):
    """A view below ``workspaces/<slug>/users/notifications/``."""

    @property
    def inbox(self) -> Inbox:
        """The caller's inbox."""
        return Inbox(self.actor, self.workspace)


class NotificationList(InboxView):
    """``…/notifications/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return a page of the notifications that the filters select, the newest first."""
        given = request.query_params.dict()
        rows = self.inbox.selected(selection_of(given), now=timezone.now())
        return Response(page_of(given).envelope(rows.select_related("triggered_by"), shown))


class UnreadCount(InboxView):
    """``…/notifications/unread/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Count what waits: unread, not archived, not snoozed."""
        unread = self.inbox.unread(now=timezone.now())
        return Response(
            {
                "total_unread_notifications_count": unread.total,
                "mention_unread_notifications_count": unread.mentions,
            }
        )


class MarkAllRead(InboxView):
    """``…/notifications/mark-all-read/``."""

    def post(self, request: Request, **_: Any) -> Response:
        """Mark all those read that the filters in the body select."""
        now = timezone.now()
        mark_read(self.inbox.selected(selection_of(request.data, FiltersBody), now=now), now=now)
        return Response({"message": "Successful"})


class OneNotification(InboxView):
    """A view below ``…/notifications/<notification_id>/``."""

    @property
    def one(self) -> QuerySet[Notification]:
        """The notification, if it is there and the caller's."""
        return self.inbox.rows().filter(id=self.kwargs["notification_id"])

    def shown(self) -> Response:
        """Return the notification as it is now."""
        row = self.one.select_related("triggered_by").first()
        if row is None:
            raise NotFound("There is no such notification.")
        return Response(NotificationRow(row).data)


class NotificationOne(OneNotification):
    """``…/notifications/<notification_id>/``."""

    def get(self, request: Request, **_: Any) -> Response:
        """Return the notification."""
        return self.shown()

    def patch(self, request: Request, **_: Any) -> Response:
        """Snooze it, or wake it."""
        snooze(self.one, SnoozeBody(data=request.data).until(), now=timezone.now())
        return self.shown()

    def delete(self, request: Request, **_: Any) -> Response:
        """Remove it."""
        if not discard(self.one, now=timezone.now()):
            raise NotFound("There is no such notification.")
        return Response(status=status.HTTP_204_NO_CONTENT)


class ReadMark(OneNotification):
    """``…/notifications/<notification_id>/read/``."""

    def post(self, request: Request, **_: Any) -> Response:
        """Mark it read."""
        mark_read(self.one, now=timezone.now())
        return self.shown()

    def delete(self, request: Request, **_: Any) -> Response:
        """Mark it unread."""
        mark_unread(self.one, now=timezone.now())
        return self.shown()


class ArchiveMark(OneNotification):
    """``…/notifications/<notification_id>/archive/``."""

    def post(self, request: Request, **_: Any) -> Response:
        """Archive it."""
        archive(self.one, now=timezone.now())
        return self.shown()

    def delete(self, request: Request, **_: Any) -> Response:
        """Put it back into the inbox."""
        unarchive(self.one, now=timezone.now())
        return self.shown()
