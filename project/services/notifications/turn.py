"""What only one transaction of a project may do at a time."""

from uuid import UUID

from django.db import connection


def take_turn(project_id: UUID) -> None:
    """Let nobody else number the project's issues, or move them between parents, until this transaction ends.

    It comes before the locks of issues: who numbers or moves issues locks several of them.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [str(project_id)])
