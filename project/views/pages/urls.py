"""Addresses of the members' pages. Those of an issue and of the settings stand in mails."""

from django.urls import path

from project.views.pages.exports import ExportDeed, ExportDownload, ExportsPage
from project.views.pages.home import Home
from project.views.pages.inbox import InboxPage
from project.views.pages.inbox_marks import MarkAllRead, NotificationMark
from project.views.pages.issue import IssuePage
from project.views.pages.mail_again import MailAgain
from project.views.pages.preferences import PreferencesPage
from project.views.pages.schedule import ScheduleDeed
from project.views.pages.sign_in import SignIn, SignOut
from project.views.pages.stops import StopTakenBack

ISSUE = "<slug:slug>/projects/<uuid:project_id>/issues/<uuid:issue_id>"

urlpatterns = [
    path("", Home.as_view(), name="home"),
    path("sign-in/", SignIn.as_view(), name="sign-in"),
    path("sign-out/", SignOut.as_view(), name="sign-out"),
    path("<slug:slug>/inbox/", InboxPage.as_view(), name="inbox"),
    path("<slug:slug>/inbox/mark-all-read/", MarkAllRead.as_view(), name="mark-all-read"),
    path("<slug:slug>/inbox/<uuid:notification_id>/", NotificationMark.as_view(), name="notification"),
    path("<slug:slug>/settings/account/notifications/", PreferencesPage.as_view(), name="preferences"),
    path(
        "<slug:slug>/settings/account/notifications/stops/<int:stop_id>/",
        StopTakenBack.as_view(),
        name="stop-taken-back",
    ),
    path("<slug:slug>/settings/account/notifications/schedule/", ScheduleDeed.as_view(), name="schedule"),
    path("<slug:slug>/settings/account/notifications/mail-again/", MailAgain.as_view(), name="mail-again"),
    path("<slug:slug>/exports/", ExportsPage.as_view(), name="exports"),
    path("<slug:slug>/exports/<uuid:export_id>/", ExportDeed.as_view(), name="export-deed"),
    path("<slug:slug>/exports/<uuid:export_id>/download/", ExportDownload.as_view(), name="export-download"),
    path(ISSUE, IssuePage.as_view(), name="issue"),
]
