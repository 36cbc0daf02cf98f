"""The issues above an issue: its parent, the parent's parent, and so on."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connection

from project.models import Issue
from project.services.notifications.columns import key_of
from project.services.notifications.references import RefusedError

DEPTH = 100  # issues that may stand above a parent

_ABOVE = """
    WITH RECURSIVE above AS (
        SELECT parent_id, 1 AS height FROM issues
        WHERE id = %(issue)s AND project_id = %(project)s AND deleted_at IS NULL
        UNION ALL
        SELECT issues.parent_id, height + 1 FROM above JOIN issues ON issues.id = above.parent_id
        WHERE issues.deleted_at IS NULL AND height <= %(depth)s
    )
    SELECT parent_id FROM above WHERE parent_id IS NOT NULL
"""


def refuse_loops(project_id: UUID, parent_id: UUID, children: Iterable[Issue]) -> None:
    """Refuse an issue of the project as the parent of issues that stand above it. One query.

    It is the turn of this transaction: nobody else moves an issue between the look and the move.

    Raises:
        RefusedError: if a child would be its own ancestor, or more than `DEPTH` issues stand above the parent.
    """
    with connection.cursor() as cursor:
        cursor.execute(_ABOVE, {"issue": parent_id, "project": project_id, "depth": DEPTH})
        above = [id_ for (id_,) in cursor]
    for child in children:
        if child.id in above:
            raise RefusedError("parent_id", f"{key_of(child).text} would be its own ancestor.")
    if len(above) > DEPTH:
        raise RefusedError("parent_id", f"More than {DEPTH} issues stand above that one.")
