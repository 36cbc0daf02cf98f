"""Many issues at once, with texts that cannot be packed well."""

from django.db import connection

from tests.factories import Team

_MANY = """
INSERT INTO issues (id, created_at, updated_at, workspace_id, project_id, name, description_json,
    description_html, description_stripped, priority, state_id, sequence_id, sort_order, is_draft)
SELECT gen_random_uuid(), now(), now(), %(workspace)s, %(project)s, 'Issue ' || number, '{}', '',
    (SELECT string_agg(md5(random()::text || number || piece), '') FROM generate_series(1, %(size)s / 32) AS piece),
    'none', %(state)s, number, 0, false
FROM generate_series(1, %(count)s) AS number
"""


def make_issues(team: Team, count: int, size: int = 32) -> None:
    """Give the team's project so many issues; each has a description of so many characters."""
    values = {
        "workspace": team.workspace.id,
        "project": team.project.id,
        "state": team.states["started"].id,
        "count": count,
        "size": size,
    }
    with connection.cursor() as cursor:
        cursor.execute(_MANY, values)
