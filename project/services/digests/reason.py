"""Why somebody gets a mail: a sentence for its foot, and the same as a word for its header."""

from collections.abc import Sequence
from enum import StrEnum
from uuid import UUID

from project.services.digests.items import Item, Note
from project.services.digests.matter import Matter


class Reason(StrEnum):
    """The strongest of a person's reasons, as the sentence that is told."""

    MENTION = "You get this mail because you were mentioned."
    ASSIGNED = "You get this mail because the issue is assigned to you."
    CREATED = "You get this mail because you created the issue."
    FOLLOWING = "You get this mail because you follow the issue."
    ROLLUP = "You get this mail because you created these issues, work on them or follow them."
    EXPORT = "You get this mail because you asked for this export."

    @property
    def word(self) -> str:
        """The name by which mail programs can filter."""
        return self.name.lower()


def reason_for(receiver_id: UUID, matter: Matter, items: Sequence[Item]) -> Reason:
    """Return why the receiver hears of these items of an issue."""
    if any(isinstance(item, Note) and item.mention for item in items):
        return Reason.MENTION
    if matter.assigned:
        return Reason.ASSIGNED
    return Reason.CREATED if matter.issue.created_by_id == receiver_id else Reason.FOLLOWING
