"""Looks up what the values of an issue refer to, and refuses what is not of its project."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from project.models import (
    Cycle,
    EstimatePoint,
    Issue,
    Label,
    Module,
    Project,
    ProjectMember,
    Role,
    State,
    StateGroup,
    WorkspaceMember,
)


class RefusedError(Exception):
    """A value that cannot be taken; `field` is its name in `IssueValues`, the text says why."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field


def active_members(project: Project) -> QuerySet[ProjectMember]:
    """Return the memberships that count: of the project, with one of the workspace and an account in use."""
    in_workspace = WorkspaceMember.objects.filter(
        workspace=project.workspace_id, member=OuterRef("member"), is_active=True
    )
    return ProjectMember.objects.filter(
        Exists(in_workspace), project=project, is_active=True, member__is_active=True
    )


def state_of(project: Project, state_id: UUID) -> State:
    """Return a state of the project; otherwise raise `RefusedError`."""
    state = State.objects.filter(project=project, id=state_id).first()
    if state is None:
        raise unknown("state_id", [state_id])
    return state


def default_state(project: Project) -> State | None:
    """Return the state of a new issue: the one the project names, else the one marked so, else the first."""
    states = State.objects.filter(project=project).exclude(group=StateGroup.TRIAGE)
    return min(
        states, key=lambda s: (s.id != project.default_state_id, not s.default, s.sequence), default=None
    )


def parent_of(project: Project, parent_id: UUID) -> Issue:
    """Return a live issue of the project; otherwise raise `RefusedError`."""
    parent = Issue.objects.filter(project=project, id=parent_id).select_related("project").first()
    if parent is None:
        raise unknown("parent_id", [parent_id])
    return parent


def estimate_point_of(project: Project, point_id: UUID) -> EstimatePoint:
    """Return a mark on a scale of the project; otherwise raise `RefusedError`."""
    points = EstimatePoint.objects.filter(project=project, id=point_id, estimate__deleted_at=None)
    point = points.select_related("estimate").first()
    if point is None:
        raise unknown("estimate_point", [point_id])
    return point


def label_names(project: Project, label_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of labels of the project or its workspace, in this order, or raise `RefusedError`."""
    usable = Q(project=project) | Q(project=None, workspace=project.workspace_id)
    labels = Label.objects.filter(usable, id__in=label_ids)
    return _all_of("label_ids", label_ids, dict(labels.values_list("id", "name")))


def cycle_names(project: Project, cycle_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of cycles of the project, in this order, or raise `RefusedError`."""
    cycles = Cycle.objects.filter(project=project, id__in=cycle_ids)
    return _all_of("cycle_id", cycle_ids, dict(cycles.values_list("id", "name")))


def module_names(project: Project, module_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the names of modules of the project, in this order, or raise `RefusedError`."""
    modules = Module.objects.filter(project=project, id__in=module_ids)
    return _all_of("module_ids", module_ids, dict(modules.values_list("id", "name")))


def assignee_names(project: Project, user_ids: Collection[UUID]) -> dict[UUID, str]:
    """Return the display names of people who can be assigned, in this order, or raise `RefusedError`."""
    names = dict(
        assignable(project).filter(member__in=user_ids).values_list("member_id", "member__display_name")
    )
    return _all_of("assignee_ids", user_ids, names)


def assignable(project: Project) -> QuerySet[ProjectMember]:
    """Return the memberships of those who can be assigned: the active ones that are more than a guest's."""
    return active_members(project).filter(role__gt=Role.GUEST)


def _all_of(field: str, wanted: Collection[UUID], names: Mapping[Any, str]) -> dict[UUID, str]:
    if missing := [id_ for id_ in wanted if id_ not in names]:
        raise unknown(field, missing)
    return {id_: names[id_] for id_ in wanted}


def unknown(field: str, ids: Collection[UUID]) -> RefusedError:
    """Return the refusal of ids that name nothing in the project."""
    return RefusedError(field, f"Not in this project: {', '.join(map(str, ids))}.")
