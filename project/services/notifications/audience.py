"""Who is told of an event, why, and who follows the issue from now on. Rules only, nothing is loaded here.

The rules are Plane's with their faults mended, and these differences:

* An assignee is told as such whether or not the issue's creator is an assignee as well.
* Description edits and the creation itself are told to everybody, not only to those mentioned in them.
* A guest of a project that hides other people's issues from guests is told of the issues that they created or
  are assigned to. Being mentioned or subscribed opens no issue to a guest: it would carry the content past
  the setting, at the hand of any member.
"""

from collections.abc import Mapping, Sequence, Set
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from project.models import IssueActivity, Role
from project.services.notifications.names import Kind
from project.services.notifications.people import Ids, People


class Reason(StrEnum):
    """Why somebody is told: what they have to do with the issue, the strongest first."""

    MENTIONED = "mentioned"
    CREATED = "created"
    ASSIGNED = "assigned"
    SUBSCRIBED = "subscribed"


class Telling(NamedTuple):
    """One person is told of one activity, for one reason; a notification and a log row each."""

    activity: IssueActivity
    receiver_id: UUID
    reason: Reason

    @property
    def kind(self) -> Kind:
        """The kind that the rows are named after."""
        return Kind.MENTION if self.reason is Reason.MENTIONED else Kind.CHANGE


def audience(people: People) -> dict[UUID, Reason]:
    """Return the receivers of an event with what they have to do with the issue, in the order of their ids.

    Whoever left the issue hears of it again only by a new assignment or a mention; nobody hears of what they
    did themselves.
    """
    around = people.assignees | people.followers | {people.creator}
    named = people.assigned | people.mentioned
    receivers = _admitted(people).intersection((around - people.left) | named) - {people.actor}
    return {receiver: _reason(people, receiver) for receiver in sorted(receivers)}


def joining(people: People, *, actor_too: bool) -> list[UUID]:
    """Return who is subscribed by an event: the newly assigned and mentioned and, if `actor_too`, the actor.

    An actor who left the issue is not brought back by acting on it.
    """
    named = people.assigned | (people.mentioned - {people.actor})
    acting = people.actor if actor_too and people.actor not in people.left else None
    return sorted(_admitted(people).intersection({acting, *named}) - people.followers)


def tellings(
    activities: Sequence[IssueActivity], receivers: Mapping[UUID, Reason], mentioned: Set[UUID]
) -> list[Telling]:
    """Pair every activity with every receiver.

    Those `mentioned` are told so by the activity whose text mentions them, instead of the ordinary way; of
    the other activities they are told like everybody else.
    """
    carrier = max(activities, key=_carries_text, default=None)
    return [
        Telling(
            activity, receiver, Reason.MENTIONED if activity is carrier and receiver in mentioned else reason
        )
        for activity in activities
        for receiver, reason in receivers.items()
    ]


def _admitted(people: People) -> Ids:
    own = people.assignees | {people.creator}
    return frozenset(
        user
        for user, role in people.roles.items()
        if role > Role.GUEST or people.guests_see_all or user in own
    )


def _reason(people: People, receiver: UUID) -> Reason:
    if receiver == people.creator:
        return Reason.CREATED
    if receiver in people.assignees | people.assigned:
        return Reason.ASSIGNED
    return Reason.SUBSCRIBED


def _carries_text(activity: IssueActivity) -> bool:
    return activity.field in {None, "comment", "description"}  # None: the issue's creation
