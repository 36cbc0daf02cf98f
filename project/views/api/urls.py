"""Addresses of the API."""

from django.urls import path

from project.views.api.comments import CommentList, CommentOne
from project.views.api.issues import IssueList, IssueOne
from project.views.api.subscription import Subscription

ISSUES = "workspaces/<slug:slug>/projects/<uuid:project_id>/issues/"
ISSUE = f"{ISSUES}<uuid:issue_id>/"

urlpatterns = [
    path(ISSUES, IssueList.as_view()),
    path(ISSUE, IssueOne.as_view()),
    path(f"{ISSUE}comments/", CommentList.as_view()),
    path(f"{ISSUE}comments/<uuid:comment_id>/", CommentOne.as_view()),
    path(f"{ISSUE}subscribe/", Subscription.as_view()),
]
