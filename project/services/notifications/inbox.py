"""A person's inbox in a workspace: which notifications are in it, which a selection means, how many are unread."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from project.models import (
    Entity,
    Issue,
    IssueAssignee,
    IssueSubscriber,
    Notification,
    ProjectMember,
    User,
    Workspace,
)
from project.services.notifications.audience import Reason

MENTION_SENDER = f"in_app:issue_activities:{Reason.MENTIONED}"


class Relation(StrEnum):
    """What a person has to do with an issue now. Who created it or works on it is no mere subscriber."""

    SUBSCRIBED = "subscribed"
    ASSIGNED = "assigned"
    CREATED = "created"


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Which notifications of an inbox are meant. None, and no relation at all, select nothing away.

    Attributes:
        relations: to the issue; one of them is enough.
        mentioned: whether they tell of a mention.
        snoozed: whether they are put off to a time that is still to come.
        issue: that they are about.
    """

    relations: frozenset[Relation] = frozenset()
    mentioned: bool | None = None
    read: bool | None = None
    snoozed: bool | None = None
    archived: bool | None = None
    issue: UUID | None = None


#: What waits for its reader.
UNREAD = Selection(read=False, snoozed=False, archived=False)


class Unread(NamedTuple):
    """Numbers of notifications that wait for their reader; mentions are part of the total."""

    total: int
    mentions: int


@dataclass(frozen=True)
class Inbox:
    """The notifications of `user` in `workspace`: about their exports, and about issues of projects that they are
    still an active member of.
    """

    user: User
    workspace: Workspace

    def rows(self) -> QuerySet[Notification]:
        """Return all of them."""
        memberships = ProjectMember.objects.filter(
            project=OuterRef("project"), project__deleted_at=None, member=self.user, is_active=True
        )
        return Notification.objects.filter(
            Q(Exists(memberships), entity_name=Entity.ISSUE) | Q(entity_name=Entity.EXPORT),
            receiver=self.user,
            workspace=self.workspace,
        )

    def selected(self, selection: Selection, *, now: datetime) -> QuerySet[Notification]:
        """Return those that are meant, the newest first; the id decides between equal times."""
        rows = self.rows().filter(self._related(selection.relations))
        for chosen, condition in (
            (selection.mentioned, Q(sender=MENTION_SENDER)),
            (selection.read, Q(read_at__isnull=False)),
            (selection.snoozed, Q(snoozed_till__isnull=False, snoozed_till__gt=now)),
            (selection.archived, Q(archived_at__isnull=False)),
        ):
            if chosen is not None:
                rows = rows.filter(condition if chosen else ~condition)
        if selection.issue is not None:
            rows = rows.filter(entity_identifier=selection.issue)
        return rows.order_by("-created_at", "-id")

    def unread(self, *, now: datetime) -> Unread:
        """Count what waits for its reader, in one query."""
        mentions = Count("pk", filter=Q(sender=MENTION_SENDER))
        return Unread(**self.selected(UNREAD, now=now).aggregate(total=Count("pk"), mentions=mentions))

    def _related(self, relations: frozenset[Relation]) -> Q:
        about = OuterRef("entity_identifier")
        assigned = Q(Exists(IssueAssignee.objects.filter(issue=about, assignee=self.user)))
        # All: who created an issue is told of its deletion, too.
        created = Q(Exists(Issue.all_objects.filter(id=about, created_by=self.user)))
        following = Exists(IssueSubscriber.objects.filter(issue=about, subscriber=self.user))
        wanted = Q()
        for relation in sorted(relations):
            match relation:
                case Relation.ASSIGNED:
                    wanted |= assigned
                case Relation.CREATED:
                    wanted |= created
                case Relation.SUBSCRIBED:
                    wanted |= Q(following) & ~assigned & ~created
        return wanted
