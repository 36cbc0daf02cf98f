"""What a project's rules do to its issues by themselves, when nobody touches them for long."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from project.models import AUTOMATICALLY, Issue, StateGroup, Wake
from project.services.notifications.columns import change_columns, save_columns
from project.services.notifications.record import EventKind, Happening, locked, record_all
from project.services.notifications.values import IssueValues, targets_of

#: The groups of states in which an issue is done with: such an issue may be archived, and need not be closed.
DONE = (StateGroup.COMPLETED, StateGroup.CANCELLED)


@dataclass(frozen=True)
class Automation:
    """A rule of the project, which acts on issues that nobody touched.

    Its events have no actor, so everybody around the issue is told, and why.

    Attributes:
        months: for how long nobody touched them, as people set it and are told.
        idle_since: when that time began. An issue that was touched since is left alone, also if that happened
            after it was found.
        run: names this run of the rule: the `bulk_id` of its events.
    """

    months: int
    idle_since: datetime
    run: UUID

    @property
    def why(self) -> str:
        """Say it: "automatically after 3 months without activity"."""
        return f"{AUTOMATICALLY} after {self.months} month{'' if self.months == 1 else 's'} without activity"

    def spares(self, issue: Issue) -> bool:
        """Whether an issue, locked, is to be left alone: it was touched."""
        return issue.updated_at >= self.idle_since


@transaction.atomic(durable=True)
def close(issue_id: UUID, state_id: UUID, *, by: Automation, now: datetime) -> list[Wake]:
    """Move an open issue that nobody touched to the state that the project closes issues with.

    An issue that is done with, archived, or was touched meanwhile stays as it is, and there is no event.

    Raises:
        Issue.DoesNotExist: if it was deleted meanwhile.
        RefusedError: if the state is not of the project.
    """
    issue = locked(issue_id)
    if by.spares(issue) or issue.archived_at or (issue.state and issue.state.group in DONE):
        return []
    values = IssueValues(state_id=state_id)
    activities = change_columns(issue, values, targets_of([issue], values), now=now)
    for activity in activities:
        activity.comment = f"closed the issue {by.why}"
    save_columns([issue], ["state", "completed_at"], actor=None, now=now)
    told = [Happening(issue, activities)] if activities else []
    return record_all(EventKind.ISSUE_UPDATED, told, actor=None, now=now, bulk_id=by.run)
