"""What one attempt will write: which projects, how many rows of each, by which query."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from project.models import Exporter, Project, known_zones
from project.services.exports import query
from project.services.exports.columns import Row
from project.services.exports.failures import RefusedError
from project.services.exports.filters import Filters
from project.services.exports.scope import Scope, scope_of
from project.services.exports.snapshot import Snapshot

NOTHING_LEFT = "You are not a member of any of these projects any more, or they are archived."


@dataclass(frozen=True)
class Part:
    """One project's issues: how many they are, and what their query needs to know."""

    project: Project
    condition: str
    parameters: dict[str, Any]
    total: int

    def batches(self, snapshot: Snapshot) -> Iterator[list[Row]]:
        """Read the issues."""
        return snapshot.batches(query.rows(self.condition), self.parameters)


@dataclass(frozen=True)
class Plan:
    """The parts in the order of their names, and the scope that they are taken from."""

    scope: Scope
    parts: Sequence[Part]

    @property
    def total(self) -> int:
        """How many rows there are."""
        return sum(part.total for part in self.parts)


def plan(export: Exporter, snapshot: Snapshot, *, site_url: str) -> Plan:
    """Make the plan from what the initiator may see now; projects that they lost are left out.

    Raises:
        RefusedError: if nothing is left.
    """
    everything = scope_of(export.initiated_by_id, export.workspace_id)
    projects = list(
        Project.objects.filter(id__in=everything.projects & set(export.project or []), archived_at=None)
        .select_related("workspace")
        .order_by("name", "id")
    )
    if not projects:
        raise RefusedError(NOTHING_LEFT)
    filters = Filters.from_json(export.filters or {})
    common = _parameters(export, everything) | filters.parameters()
    parts = []
    for project in projects:
        condition = filters.sql(own_only=project.id in everything.own)
        parameters = common | _parameters_of(project, site_url)
        total = snapshot.number(query.count(condition), parameters)
        parts.append(Part(project, condition, parameters, total))
    return Plan(everything.within(frozenset(project.id for project in projects)), parts)


def _parameters(export: Exporter, scope: Scope) -> dict[str, Any]:
    return {
        "workspace": export.workspace_id,
        "time_zone": export.run.time_zone,
        "user": export.initiated_by_id,
        "full": sorted(scope.full),
        "own": sorted(scope.own),
    }


def _parameters_of(project: Project, site_url: str) -> dict[str, Any]:
    return {
        "project": project.id,
        "project_name": project.name,
        "identifier": project.identifier,
        "address": f"{site_url}/{project.workspace.slug}/projects/{project.id}/issues/",
        "zone": _known_zone(project.timezone),
    }


def _known_zone(name: str) -> str:
    """A zone that the project has but nobody knows must not cost the export."""
    return name if name in known_zones() else "UTC"
