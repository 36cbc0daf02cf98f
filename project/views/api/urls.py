"""Addresses of the API."""

from django.urls import path

from project.views.api.comments import CommentList, CommentOne
from project.views.api.exports import ExportCancel, ExportList, ExportOne
from project.views.api.inbox import (
    ArchiveMark,
    MarkAllRead,
    NotificationList,
    NotificationOne,
    ReadMark,
    UnreadCount,
)
from project.views.api.issues import IssueList, IssueOne
from project.views.api.preferences import MyPreferences, ProjectPreferences, WorkspacePreferences
from project.views.api.subscription import Subscription

WORKSPACE = "workspaces/<slug:slug>/"
PROJECT = f"{WORKSPACE}projects/<uuid:project_id>/"
ISSUES = f"{PROJECT}issues/"
ISSUE = f"{ISSUES}<uuid:issue_id>/"
INBOX = f"{WORKSPACE}users/notifications/"
NOTIFICATION = f"{INBOX}<uuid:notification_id>/"
EXPORTS = f"{WORKSPACE}export-issues/"
EXPORT = f"{EXPORTS}<uuid:export_id>/"

urlpatterns = [
    path(ISSUES, IssueList.as_view()),
    path(ISSUE, IssueOne.as_view()),
    path(f"{ISSUE}comments/", CommentList.as_view()),
    path(f"{ISSUE}comments/<uuid:comment_id>/", CommentOne.as_view()),
    path(f"{ISSUE}subscribe/", Subscription.as_view()),
    path(INBOX, NotificationList.as_view()),
    path(f"{INBOX}unread/", UnreadCount.as_view(), name="unread-count"),
    path(f"{INBOX}mark-all-read/", MarkAllRead.as_view()),
    path(NOTIFICATION, NotificationOne.as_view()),
    path(f"{NOTIFICATION}read/", ReadMark.as_view()),
    path(f"{NOTIFICATION}archive/", ArchiveMark.as_view()),
    path(EXPORTS, ExportList.as_view()),
    path(EXPORT, ExportOne.as_view(), name="export"),
    path(f"{EXPORT}cancel/", ExportCancel.as_view()),
    path("users/me/notification-preferences/", MyPreferences.as_view()),
    path(f"{WORKSPACE}notification-preferences/", WorkspacePreferences.as_view()),
    path(f"{PROJECT}notification-preferences/", ProjectPreferences.as_view()),
]
