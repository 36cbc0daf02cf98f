"""Loads who stands around an issue: what the audience rules need to know."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from project.models import Issue, IssueActivity, IssueAssignee, IssueEvent, IssueSubscriber
from project.services.notifications.references import active_members

Ids = frozenset[UUID]


@dataclass(frozen=True, kw_only=True)
class People:
    """The ids of the users around an issue, by what they have to do with it and with one event.

    `followers` are subscribed; those in `left` were, and left. `assigned` and `mentioned` are so *by this
    event*. `roles` holds the active members only: the membership of the project and of the workspace and the
    account are active, and it is no bot's. `guests_see_all` is the project's setting.
    """

    actor: UUID | None
    creator: UUID | None
    assignees: Ids
    followers: Ids
    left: Ids
    assigned: Ids
    mentioned: Ids
    roles: dict[UUID, int]
    guests_see_all: bool


def people_around(issue: Issue, event: IssueEvent, activities: Iterable[IssueActivity]) -> People:
    """Load the people around `issue` for the fan-out of `event`; three queries, however many they are."""
    assignees = _ids(IssueAssignee.objects.filter(issue=issue).values_list("assignee_id", flat=True))
    subscriptions = list(
        IssueSubscriber.all_objects.filter(issue=issue).values_list("subscriber_id", "deleted_at")
    )
    followers = _ids(user for user, deleted_at in subscriptions if deleted_at is None)
    left = _ids(user for user, _ in subscriptions) - followers
    assigned = _ids(a.new_identifier for a in activities if a.field == "assignees")
    mentioned = _ids(event.mentioned_ids)
    around = assignees | followers | assigned | mentioned | _ids([event.actor_id, issue.created_by_id])
    return People(
        actor=event.actor_id,
        creator=issue.created_by_id,
        assignees=assignees,
        followers=followers,
        left=left,
        assigned=assigned,
        mentioned=mentioned,
        roles=_roles(issue, around),
        guests_see_all=issue.project.guest_view_all_features,
    )


def _ids(values: Iterable[UUID | None]) -> Ids:
    return frozenset(value for value in values if value is not None)


def _roles(issue: Issue, among: Ids) -> dict[UUID, int]:
    members = active_members(issue.project).filter(member__in=among, member__is_bot=False)
    return {user: role for user, role in members.values_list("member_id", "role") if user is not None}
