"""What a person wants mailed: in general, and otherwise in a workspace or a project.

A row holds all five flags; the most specific one decides alone. Without any row everything is mailed. When a
digest is sealed the same rule is asked of the same table, so a change takes effect with the next mail.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple, TypedDict, cast
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from project.models import User, UserNotificationPreference
from project.services.notifications.tickets import void_tickets


class Flags(TypedDict, total=False):
    """The five things that are mailed or not; what is absent stays as it is."""

    property_change: bool
    state_change: bool
    comment: bool
    mention: bool
    issue_completed: bool


FLAGS = tuple(Flags.__annotations__)


class Source(StrEnum):
    """Where the flags of a place come from."""

    DEFAULT = "default"
    GENERAL = "general"
    WORKSPACE = "workspace"
    PROJECT = "project"


class Place(NamedTuple):
    """Where preferences hold: everywhere, in a workspace, or in a project, which names its workspace too."""

    workspace_id: UUID | None = None
    project_id: UUID | None = None

    @property
    def source(self) -> Source:
        """The name of its level."""
        if self.project_id:
            return Source.PROJECT
        return Source.WORKSPACE if self.workspace_id else Source.GENERAL


EVERYWHERE = Place()


class Effective(NamedTuple):
    """What holds somewhere, and where it comes from."""

    flags: Flags
    source: Source


@dataclass(frozen=True)
class Preferences:
    """All that one person has decided."""

    rows: list[UserNotificationPreference]

    def at(self, place: Place) -> Effective:
        """Return what holds in a place."""
        row = max((row for row in self.rows if _holds(row, place)), key=_weight, default=None)
        if row is None:
            return Effective(cast(Flags, dict.fromkeys(FLAGS, True)), Source.DEFAULT)
        flags = {flag: getattr(row, flag) for flag in FLAGS}
        return Effective(cast(Flags, flags), Place(row.workspace_id, row.project_id).source)


def preferences_of(user: User) -> Preferences:
    """Load what `user` has decided, in one query."""
    return Preferences(list(UserNotificationPreference.objects.filter(user=user)))


@transaction.atomic(durable=True)
def decide(user: User, place: Place, flags: Flags, *, now: datetime) -> None:
    """Set flags in a place; those left out are what they are there already, or what would be inherited."""
    _lock(user)
    inherited = preferences_of(user).at(place).flags
    void_tickets(user)
    changed = _decided(user, place).update(**flags, updated_at=now, updated_by=user)
    if not changed:
        UserNotificationPreference.objects.create(
            user=user,
            workspace_id=place.workspace_id,
            project_id=place.project_id,
            created_at=now,
            created_by=user,
            updated_by=user,
            **{**inherited, **flags},
        )


@transaction.atomic(durable=True)
def inherit(user: User, place: Place, *, now: datetime) -> None:
    """Forget what was decided in a place; to have decided nothing there is fine."""
    _lock(user)
    _decided(user, place).update(deleted_at=now, updated_at=now, updated_by=user)


def _lock(user: User) -> None:
    """Let writers of one person's preferences wait for each other: the table, Plane's, has no unique key."""
    User.objects.select_for_update(no_key=True).only("id").get(id=user.id)


def _decided(user: User, place: Place) -> QuerySet[UserNotificationPreference]:
    """Return the rows of exactly this place; several if somebody else's software wrote them."""
    rows = UserNotificationPreference.objects.filter(user=user, project=place.project_id)
    return rows if place.project_id else rows.filter(workspace=place.workspace_id)


def _holds(row: UserNotificationPreference, place: Place) -> bool:
    return row.project_id in {None, place.project_id} and row.workspace_id in {None, place.workspace_id}


def _weight(row: UserNotificationPreference) -> tuple[bool, bool, datetime]:
    return row.project_id is not None, row.workspace_id is not None, row.created_at
