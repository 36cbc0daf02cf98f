"""Loads all that decides about a digest, and all that it tells, in a constant number of queries."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, Max, Min, Q

from project.models import (
    EmailDigest,
    EmailDigestLine,
    EmailNotificationLog,
    Issue,
    IssueActivity,
    IssueAssignee,
    IssueComment,
    Notification,
    ProjectMember,
    Role,
    State,
    StateGroup,
    User,
    UserNotificationPreference,
    WorkspaceMember,
)
from project.models.mention_markup import mentioned_ids


@dataclass(frozen=True)
class Context:
    """A digest as the tables stand now, not as they stood when its lines were written.

    Attributes:
        issue: None if it was removed for good.
        may_see: whether the receiver, as an active member of workspace and project, may see the issue.
        preference: the receiver's most specific row; None means all defaults.
        logs: the lines, by activity.
        activities: those of the lines and the receiver's own in between, in order.
        comments: those named by the activities, deleted ones too.
        completed_states: ids of states that mean "done".
        read: ids of the activities that the receiver has read in the inbox.
        people: everybody who may be named.
    """

    digest: EmailDigest
    receiver: User
    issue: Issue | None
    may_see: bool
    preference: UserNotificationPreference | None
    logs: dict[UUID, EmailNotificationLog]
    activities: list[IssueActivity]
    comments: dict[UUID, IssueComment]
    completed_states: frozenset[UUID]
    read: frozenset[UUID]
    people: dict[UUID, User]


def load(digest_id: UUID) -> Context:
    """Load the context of a digest.

    Raises:
        EmailDigest.DoesNotExist: if there is no such digest.
    """
    digest = EmailDigest.objects.select_related("receiver", "issue__project__workspace", "issue__state").get(
        id=digest_id
    )
    issue = digest.issue
    logs = _logs(digest)
    activities = _activities(issue, digest.receiver_id, logs) if issue else []
    comments = _comments(activities)
    return Context(
        digest=digest,
        receiver=digest.receiver,
        issue=issue,
        may_see=issue is not None and _may_see(digest.receiver_id, issue),
        preference=_preference(digest.receiver_id, issue) if issue else None,
        logs=logs,
        activities=activities,
        comments=comments,
        completed_states=_completed(activities),
        read=_read(digest),
        people=_people(issue, activities, comments.values()) if issue else {},
    )


def activity_id(data: object) -> UUID | None:
    """Return the activity that a log row's or notification's ``data`` names; None if it names none."""
    try:
        return UUID(data["issue_activity"]["id"])  # type: ignore[index]
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _logs(digest: EmailDigest) -> dict[UUID, EmailNotificationLog]:
    lines = EmailDigestLine.objects.filter(digest=digest).select_related("log")
    return {activity_id(line.log.data) or line.log_id: line.log for line in lines}


def _activities(
    issue: Issue, receiver_id: UUID, logs: dict[UUID, EmailNotificationLog]
) -> list[IssueActivity]:
    told = IssueActivity.all_objects.filter(id__in=logs)
    span = told.aggregate(first=Min("created_at"), last=Max("created_at"))
    if span["first"] is None:
        return []
    own = IssueActivity.all_objects.filter(
        issue=issue,
        actor_id=receiver_id,
        created_at__gte=span["first"],
        created_at__lte=span["last"],
    )
    return list((told | own).order_by("created_at", "id"))


def _comments(activities: Iterable[IssueActivity]) -> dict[UUID, IssueComment]:
    ids = {a.issue_comment_id or a.new_identifier for a in activities if a.field == "comment"}
    return IssueComment.all_objects.in_bulk([i for i in ids if i])


def _may_see(user_id: UUID, issue: Issue) -> bool:
    """A guest of a project that hides other people's issues sees the created and the assigned ones only."""
    in_workspace = WorkspaceMember.objects.filter(
        workspace_id=issue.workspace_id, member_id=user_id, is_active=True
    )
    roles = ProjectMember.objects.filter(
        Exists(in_workspace), project_id=issue.project_id, member_id=user_id, is_active=True
    ).values_list("role", flat=True)
    role = roles.first()
    if role is None:
        return False
    if role > Role.GUEST or issue.project.guest_view_all_features or issue.created_by_id == user_id:
        return True
    return IssueAssignee.objects.filter(issue=issue, assignee_id=user_id).exists()


def _preference(user_id: UUID, issue: Issue) -> UserNotificationPreference | None:
    rows = UserNotificationPreference.objects.filter(user_id=user_id)
    fitting = [
        row
        for row in rows
        if row.project_id in {None, issue.project_id} and row.workspace_id in {None, issue.workspace_id}
    ]
    return max(
        fitting,
        key=lambda row: (row.project_id is not None, row.workspace_id is not None, row.created_at),
        default=None,
    )


def _completed(activities: Iterable[IssueActivity]) -> frozenset[UUID]:
    ids = {a.new_identifier for a in activities if a.field == "state" and a.new_identifier}
    done = State.all_objects.filter(id__in=ids, group=StateGroup.COMPLETED)
    return frozenset(done.values_list("id", flat=True)) if ids else frozenset()


def _read(digest: EmailDigest) -> frozenset[UUID]:
    seen = Notification.all_objects.filter(
        receiver_id=digest.receiver_id, entity_identifier=digest.issue_id, read_at__isnull=False
    )
    ids = (activity_id(data) for data in seen.values_list("data", flat=True))
    return frozenset(i for i in ids if i)


def _people(
    issue: Issue, activities: Iterable[IssueActivity], comments: Iterable[IssueComment]
) -> dict[UUID, User]:
    """Who acted, whatever became of them, and who is mentioned, if they are members."""
    acted = {a.actor_id for a in activities if a.actor_id}
    texts = [issue.description_html, *(comment.comment_html for comment in comments)]
    named = {user for text in texts for user in mentioned_ids(text)}
    members = ProjectMember.objects.filter(project_id=issue.project_id, is_active=True).values("member_id")
    return {user.id: user for user in User.objects.filter(Q(id__in=acted) | Q(id__in=named, pk__in=members))}
