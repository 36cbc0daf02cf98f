"""What somebody wants exported, and its name: the same wish has the same name."""

import json
from dataclasses import dataclass, field
from uuid import UUID, uuid5

from project.models import ExportFormat
from project.services.exports.filters import Filters

# Changing this makes a wish that is open look like a new one.
NAMESPACE = UUID("0d9c4c0b-0a57-4b0e-9a4a-5f6f43ad34f4")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """Which issues, in which form.

    Attributes:
        projects: None means all that the person sees at the moment and that are not archived.
        multiple: Whether each project gets a file of its own.
        time_zone: In which times are given, and days of times filtered.
    """

    provider: ExportFormat
    projects: frozenset[UUID] | None = None
    multiple: bool = False
    filters: Filters = field(default_factory=Filters)
    time_zone: str = "UTC"

    def name(self, user_id: UUID, workspace_id: UUID, projects: list[UUID]) -> UUID:
        """Name the wish as this person's, for these projects."""
        parts = [
            *(user_id, workspace_id, sorted(map(str, projects))),
            *(str(self.provider), self.multiple, self.filters.to_json(), self.time_zone),
        ]
        return uuid5(NAMESPACE, json.dumps(parts, default=str, sort_keys=True))
