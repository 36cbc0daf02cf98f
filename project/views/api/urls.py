"""Addresses of the API."""

from django.urls import path

from project.services.notifications.membership import CYCLE, MODULE
from project.views.api.archiving import Archive
from project.views.api.attachments import AttachmentList, AttachmentOne
from project.views.api.bulk import BulkArchive, BulkDelete, BulkUpdate
from project.views.api.comments import CommentList, CommentOne
from project.views.api.description import Description, DescriptionPage
from project.views.api.exports import ExportCancel, ExportList, ExportOne
from project.views.api.groupings import GroupIssue, GroupIssues, IssueModules
from project.views.api.inbox import (
    ArchiveMark,
    MarkAllRead,
    NotificationList,
    NotificationOne,
    ReadMark,
    UnreadCount,
)
from project.views.api.issue_links import LinkList, LinkOne
from project.views.api.issues import IssueList, IssueOne
from project.views.api.mail_schedule import MySchedule
from project.views.api.mute import Mute
from project.views.api.preferences import MyPreferences, ProjectPreferences, WorkspacePreferences
from project.views.api.relations import RelationList, RelationRemoved
from project.views.api.sub_issues import SubIssues
from project.views.api.subscription import Subscription

WORKSPACE = "workspaces/<slug:slug>/"
PROJECT = f"{WORKSPACE}projects/<uuid:project_id>/"
ISSUES = f"{PROJECT}issues/"
ISSUE = f"{ISSUES}<uuid:issue_id>/"
CYCLE_ISSUES = f"{PROJECT}cycles/<uuid:group_id>/cycle-issues/"
MODULE_ISSUES = f"{PROJECT}modules/<uuid:group_id>/issues/"
INBOX = f"{WORKSPACE}users/notifications/"
NOTIFICATION = f"{INBOX}<uuid:notification_id>/"
EXPORTS = f"{WORKSPACE}export-issues/"
EXPORT = f"{EXPORTS}<uuid:export_id>/"

urlpatterns = [
    path("schema/", Description.as_view(), name="schema"),
    path("docs/", DescriptionPage.as_view(url_name="schema"), name="api-docs"),
    path(ISSUES, IssueList.as_view()),
    path(ISSUE, IssueOne.as_view()),
    path(f"{ISSUE}comments/", CommentList.as_view()),
    path(f"{ISSUE}comments/<uuid:comment_id>/", CommentOne.as_view()),
    path(f"{ISSUE}subscribe/", Subscription.as_view()),
    path(f"{ISSUE}mute/", Mute.as_view()),
    path(f"{ISSUE}archive/", Archive.as_view()),
    path(f"{ISSUE}issue-links/", LinkList.as_view()),
    path(f"{ISSUE}issue-links/<uuid:link_id>/", LinkOne.as_view()),
    path(f"{ISSUE}issue-attachments/", AttachmentList.as_view()),
    path(f"{ISSUE}issue-attachments/<uuid:asset_id>/", AttachmentOne.as_view()),
    path(f"{ISSUE}issue-relation/", RelationList.as_view()),
    path(f"{ISSUE}remove-relation/", RelationRemoved.as_view()),
    path(f"{ISSUE}sub-issues/", SubIssues.as_view()),
    path(f"{ISSUE}modules/", IssueModules.as_view()),
    path(CYCLE_ISSUES, GroupIssues.as_view(grouping=CYCLE)),
    path(f"{CYCLE_ISSUES}<uuid:issue_id>/", GroupIssue.as_view(grouping=CYCLE)),
    path(MODULE_ISSUES, GroupIssues.as_view(grouping=MODULE)),
    path(f"{MODULE_ISSUES}<uuid:issue_id>/", GroupIssue.as_view(grouping=MODULE)),
    path(f"{PROJECT}bulk-operation-issues/", BulkUpdate.as_view()),
    path(f"{PROJECT}bulk-archive-issues/", BulkArchive.as_view()),
    path(f"{PROJECT}bulk-delete-issues/", BulkDelete.as_view()),
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
    path("users/me/mail-schedule/", MySchedule.as_view()),
    path(f"{WORKSPACE}notification-preferences/", WorkspacePreferences.as_view()),
    path(f"{PROJECT}notification-preferences/", ProjectPreferences.as_view()),
]
