"""What the page of an issue tells: comments, history, and who is around; a constant number of queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from django.db.models import Model, QuerySet
from django.utils.safestring import SafeString

from project.models import MACHINE_FIELDS, Issue, IssueActivity, IssueAssignee, IssueComment, IssueLabel, User
from project.models.mention_markup import mentioned_ids
from project.services.digests.avatar import Avatar, avatar_of
from project.services.digests.wording import AUTOMATION, FORMER_MEMBER, name_of
from project.services.notifications.references import active_members
from project.views.pages.deeds import Deed, deed_of
from project.views.pages.prose import prose

R = TypeVar("R", bound=Model)

NEWEST = 100  # comments, and entries of the history, that are shown


@dataclass(frozen=True)
class Comment:
    """What somebody said."""

    row: IssueComment
    who: str
    avatar: Avatar
    body: SafeString


@dataclass(frozen=True)
class Step:
    """What somebody did."""

    who: str
    deed: Deed
    at: datetime


@dataclass(frozen=True)
class Story:
    """All that is told of an issue: comments from the oldest, history from the newest."""

    description: SafeString
    assignees: list[str]
    labels: list[str]
    comments: list[Comment]
    history: list[Step]
    comments_left_out: bool
    history_left_out: bool


def story_of(issue: Issue) -> Story:
    """Load the story of an issue, which comes with its project."""
    comments = _newest(IssueComment.objects.filter(issue=issue))
    activities = _newest(IssueActivity.objects.filter(issue=issue).exclude(field__in=MACHINE_FIELDS))
    people = _mentioned(issue, comments)
    return Story(
        description=prose(issue.description_html, people),
        assignees=_names(IssueAssignee.objects.filter(issue=issue), "assignee__display_name"),
        labels=_names(IssueLabel.objects.filter(issue=issue), "label__name"),
        comments=[_said(comment, people) for comment in reversed(comments[:NEWEST])],
        history=[_done(activity) for activity in activities[:NEWEST]],
        comments_left_out=len(comments) > NEWEST,
        history_left_out=len(activities) > NEWEST,
    )


def _newest(rows: QuerySet[R]) -> list[R]:
    """Return the newest first, and one more than is shown if there are more."""
    return list(rows.select_related("actor").order_by("-created_at", "-id")[: NEWEST + 1])


def _names(links: QuerySet[IssueAssignee] | QuerySet[IssueLabel], name: str) -> list[str]:
    return list(links.order_by(name).values_list(name, flat=True))


def _mentioned(issue: Issue, comments: list[IssueComment]) -> dict[str, str]:
    """Return the names of those members who are mentioned anywhere on the page."""
    texts = [issue.description_html, *(comment.comment_html for comment in comments)]
    named = {user for text in texts for user in mentioned_ids(text)}
    members = active_members(issue.project).filter(member__in=named).select_related("member")
    return {str(row.member_id): row.member.shown_name for row in members if row.member}


def _said(comment: IssueComment, people: Mapping[str, str]) -> Comment:
    who = _name(comment.actor)
    return Comment(comment, who, avatar_of(who), prose(comment.comment_html, people))


def _done(activity: IssueActivity) -> Step:
    record = {
        "verb": activity.verb,
        "field": activity.field,
        "old_value": activity.old_value,
        "new_value": activity.new_value,
        "old_identifier": activity.old_identifier,
        "new_identifier": activity.new_identifier or activity.issue_comment_id,
        "automatic": activity.automatic,
    }
    who = name_of(AUTOMATION, {}) if activity.automatic else _name(activity.actor)
    return Step(who, deed_of(record), activity.created_at)


def _name(user: User | None) -> str:
    return user.shown_name if user else FORMER_MEMBER
