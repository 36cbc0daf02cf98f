"""Archives and closes issues that nobody touched for as many months as their project says.

Issues are selected by how they are, not by when this runs: each is archived or closed once, and one that could
not be is found again the next time.
"""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID, uuid5

from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from project.limits import Limits
from project.models import CycleIssue, Issue, ModuleIssue, Project, State, StateGroup, Wake
from project.services.notifications.archiving import archive
from project.services.notifications.automation import DONE, Automation, close
from project.services.notifications.names import NAMESPACE

logger = logging.getLogger(__name__)

MONTH = timedelta(days=30)
OPEN = (StateGroup.BACKLOG, StateGroup.UNSTARTED, StateGroup.STARTED)


@dataclass
class Moved:
    """What one run did: the events to send, and how many issues could not be moved."""

    wakes: list[Wake] = field(default_factory=list)
    failed: int = 0

    def __str__(self) -> str:
        """Say it."""
        return f"moved {len(self.wakes)}" + f", failed {self.failed}" * bool(self.failed)

    def move(self, issues: QuerySet[Issue], act: Callable[[UUID], list[Wake]]) -> None:
        """Do it to each of the issues, in a transaction each; one that cannot be moved costs itself."""
        for issue_id in list(issues.values_list("id", flat=True)):
            try:
                self.wakes += act(issue_id)
            except Issue.DoesNotExist:
                logger.info("issue %s was deleted meanwhile", issue_id)
            except Exception:
                if not connection.is_usable():
                    raise
                logger.exception("issue %s cannot be moved", issue_id)
                self.failed += 1


def archive_idle(*, now: datetime, limits: Limits) -> Moved:
    """Archive issues that are done with; of a project at most `limits.sweep_batch`, the longest idle first."""
    moved = Moved()
    for project in _projects(archive_in__gt=0):
        rule = _rule("archive", project, project.archive_in, now)
        issues = _idle(project, rule, DONE, now)[: limits.sweep_batch]
        moved.move(issues, partial(archive, by=rule, now=now))
    return moved


def close_idle(*, now: datetime, limits: Limits) -> Moved:
    """Close open issues; of a project at most `limits.sweep_batch`, the longest idle first.

    A project without a state to close issues with keeps them open.
    """
    moved = Moved()
    for project in _projects(close_in__gt=0):
        rule = _rule("close", project, project.close_in, now)
        if state := _closing_state(project):
            issues = _idle(project, rule, OPEN, now)[: limits.sweep_batch]
            moved.move(issues, partial(close, state_id=state.id, by=rule, now=now))
    return moved


def _projects(**conditions: int) -> QuerySet[Project]:
    return Project.objects.filter(archived_at__isnull=True, workspace__deleted_at__isnull=True, **conditions)


def _rule(name: str, project: Project, months: int, now: datetime) -> Automation:
    run = uuid5(NAMESPACE, f"{name}:{project.id}:{now.date()}")
    return Automation(months=months, idle_since=now - months * MONTH, run=run)


def _closing_state(project: Project) -> State | None:
    """Return the state that the project names, if issues in it are done with, else its first cancelled one."""
    named = project.default_state_id
    states = State.objects.filter(project=project, group__in=DONE)
    fit = [state for state in states if state.id == named or state.group == StateGroup.CANCELLED]
    return min(fit, key=lambda state: (state.id != named, state.sequence), default=None)


def _idle(
    project: Project, rule: Automation, groups: Collection[StateGroup], now: datetime
) -> QuerySet[Issue]:
    """Return the issues that the rule is about.

    What is planned for a cycle or a module that is not over, or has no end, is not idle.
    """
    cycles = CycleIssue.objects.filter(
        Q(cycle__end_date__gte=now) | Q(cycle__end_date=None),
        issue=OuterRef("pk"),
        cycle__archived_at=None,
        cycle__deleted_at=None,
    )
    modules = ModuleIssue.objects.filter(
        Q(module__target_date__gte=now.date()) | Q(module__target_date=None),
        issue=OuterRef("pk"),
        module__archived_at=None,
        module__deleted_at=None,
    )
    return Issue.objects.filter(
        ~Exists(cycles),
        ~Exists(modules),
        project=project,
        state__group__in=groups,
        updated_at__lt=rule.idle_since,
        archived_at=None,
        is_draft=False,
    ).order_by("updated_at")
