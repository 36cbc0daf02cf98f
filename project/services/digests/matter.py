"""The issues that a digest is about: who may see them, what the receiver wants of them, what happened to them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import Subquery

from project.models import (
    EmailNotificationLog,
    Issue,
    IssueActivity,
    Role,
    UserNotificationPreference,
)

Logs = dict[UUID, EmailNotificationLog]

_STANDING = """
SELECT issue.id,
    (
        SELECT member.role
        FROM project_members AS member
        JOIN workspace_members AS here
            ON here.workspace_id = member.workspace_id AND here.member_id = member.member_id
            AND here.is_active AND here.deleted_at IS NULL
        WHERE member.project_id = issue.project_id AND member.member_id = %(receiver)s
            AND member.is_active AND member.deleted_at IS NULL
    ),
    EXISTS (
        SELECT FROM issue_assignees AS link
        WHERE link.issue_id = issue.id AND link.assignee_id = %(receiver)s AND link.deleted_at IS NULL
    ),
    EXISTS (SELECT FROM issue_mutes AS mute WHERE mute.issue_id = issue.id AND mute.user_id = %(receiver)s)
FROM issues AS issue
WHERE issue.id = ANY(%(ids)s)
"""


@dataclass(frozen=True, kw_only=True)
class Matter:
    """One issue of a digest as it stands now, deleted ones too.

    Attributes:
        issue: with its state, project and workspace.
        may_see: whether the receiver, as an active member of workspace and project, may see it.
        assigned: whether the receiver is.
        muted: whether the receiver wants no mail about it.
        preference: the receiver's most specific row; None means all defaults.
        logs: the lines, by activity.
        activities: those of the lines and the receiver's own in between, in order.
    """

    issue: Issue
    may_see: bool
    assigned: bool
    muted: bool
    preference: UserNotificationPreference | None
    logs: Logs
    activities: list[IssueActivity]


def matters_of(receiver_id: UUID, logs: Logs) -> list[Matter]:
    """Load the issues that `logs` are about; lines whose issue was removed for good are in none."""
    by_issue: dict[UUID | None, Logs] = defaultdict(dict)
    for key, log in logs.items():
        by_issue[log.entity_identifier][key] = log
    found = list(_issues(receiver_id, [about for about in by_issue if about]))
    if not found:
        return []
    happened = _activities(receiver_id, logs, [issue.id for issue, *_ in found])
    preferences = list(UserNotificationPreference.objects.filter(user_id=receiver_id))
    return [
        Matter(
            issue=issue,
            may_see=_may_see(receiver_id, issue, role, assigned=assigned),
            assigned=assigned,
            muted=muted,
            preference=_preference(preferences, issue),
            logs=by_issue[issue.id],
            activities=_in_between(happened[issue.id], by_issue[issue.id]),
        )
        for issue, role, assigned, muted in found
    ]


def _issues(receiver_id: UUID, ids: Sequence[UUID]) -> Iterator[tuple[Issue, int | None, bool, bool]]:
    """Yield each issue with the receiver's role, whether they are assigned, and whether they muted it."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, {"ids": list(ids), "receiver": receiver_id})
        found = {row[0]: row[1:] for row in cursor.fetchall()}
    rows = Issue.all_objects.filter(id__in=ids).select_related("project__workspace", "state")
    return ((issue, *found[issue.id]) for issue in rows if issue.id in found)


def _may_see(user_id: UUID, issue: Issue, role: int | None, *, assigned: bool) -> bool:
    """A guest of a project that hides other people's issues sees the created and the assigned ones only."""
    if role is None:
        return False
    own = assigned or issue.created_by_id == user_id
    return role > Role.GUEST or issue.project.guest_view_all_features or own


def _preference(
    rows: Iterable[UserNotificationPreference], issue: Issue
) -> UserNotificationPreference | None:
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


def _activities(
    receiver_id: UUID, logs: Logs, issue_ids: Sequence[UUID]
) -> Mapping[UUID | None, list[IssueActivity]]:
    """Return what is told, and what the receiver did between the first and the last of it, by issue."""
    told = IssueActivity.all_objects.filter(id__in=logs)
    first, last = (told.order_by(order).values("created_at")[:1] for order in ("created_at", "-created_at"))
    own = IssueActivity.all_objects.filter(
        issue_id__in=issue_ids,
        actor_id=receiver_id,
        created_at__gte=Subquery(first),
        created_at__lte=Subquery(last),
    )
    found: dict[UUID | None, list[IssueActivity]] = defaultdict(list)
    for activity in (told | own).order_by("created_at", "id"):
        found[activity.issue_id].append(activity)
    return found


def _in_between(happened: Sequence[IssueActivity], logs: Logs) -> list[IssueActivity]:
    """Leave out what the receiver did before the first or after the last told change of this issue."""
    places = [place for place, activity in enumerate(happened) if activity.id in logs]
    return list(happened[places[0] : places[-1] + 1]) if places else []
