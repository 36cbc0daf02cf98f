"""A project with many issues for the benchmark of exports, with 0 to 3 assignees and 0 to 5 labels each."""

import random

from django.db import connection

from project.models import (
    Label,
    Project,
    ProjectMember,
    Role,
    State,
    StateGroup,
    User,
    Workspace,
    WorkspaceMember,
)

PEOPLE, LABELS, TEXTS = 300, 60, 3000
_PLACE = "gen_random_uuid(), now(), now(), %(workspace)s, %(project)s"
_STATEMENTS = (
    f"""
    INSERT INTO issues (id, created_at, updated_at, workspace_id, project_id, name, description_json,
        description_html, description_stripped, priority, state_id, sequence_id, sort_order, is_draft,
        start_date, target_date, completed_at, created_by_id)
    SELECT gen_random_uuid(), timestamptz '2024-01-01Z' + number * interval '61 seconds',
        timestamptz '2024-06-01Z' + number * interval '59 seconds', %(workspace)s, %(project)s,
        'Issue ' || number || left(texts[1 + number %% {TEXTS}], 15 + number %% 95), '{{}}', '',
        CASE WHEN number %% 7 = 0 THEN '' ELSE texts[1 + (number * 7919::bigint) %% {TEXTS}] END,
        (ARRAY['urgent', 'high', 'medium', 'low', 'none'])[1 + number %% 5], %(state)s, number, 0, false,
        CASE WHEN number %% 3 > 0 THEN date '2026-01-01' + number %% 300 END,
        CASE WHEN number %% 2 > 0 THEN date '2026-02-01' + number %% 300 END,
        CASE WHEN number %% 4 > 0 THEN timestamptz '2026-03-04 05:06:07Z' + number * interval '1 second' END,
        people[1 + number %% {PEOPLE}]
    FROM (SELECT %(texts)s::text[] AS texts, %(people)s::uuid[] AS people) AS given,
        generate_series(1, %(count)s) AS number
    """,
    f"""
    INSERT INTO issue_assignees (id, created_at, updated_at, workspace_id, project_id, issue_id, assignee_id)
    SELECT {_PLACE}, issue.id, (%(people)s::uuid[])[1 + (sequence_id * 31 + nth) %% {PEOPLE}]
    FROM issues AS issue, generate_series(1, 3) AS nth
    WHERE issue.project_id = %(project)s AND nth <= sequence_id %% 4
    """,
    f"""
    INSERT INTO issue_labels (id, created_at, updated_at, workspace_id, project_id, issue_id, label_id)
    SELECT {_PLACE}, issue.id, (%(labels)s::uuid[])[1 + (sequence_id * 17 + nth) %% {LABELS}]
    FROM issues AS issue, generate_series(1, 5) AS nth
    WHERE issue.project_id = %(project)s AND nth <= sequence_id %% 6
    """,
)


def fill(count: int) -> Project:
    """Make a project with `count` issues in a workspace of its own."""
    owner = User.objects.create_user(f"owner-{count}@bench.example", first_name="Olga", last_name="Owner")
    workspace = Workspace.objects.create(name="Bench", slug=f"bench-{count}", owner=owner)
    project = Project.objects.create(workspace=workspace, name="Bench", identifier="BENCH")
    place = {"workspace": workspace, "role": Role.MEMBER}
    WorkspaceMember.objects.create(**place, member=owner)
    ProjectMember.objects.create(**place, project=project, member=owner)
    state = State.objects.create(
        workspace=workspace, project=project, name="Started", group=StateGroup.STARTED
    )
    people = User.objects.bulk_create(
        User(username=f"{n}-{count}", first_name="Person", last_name=str(n)) for n in range(PEOPLE)
    )
    labels = Label.objects.bulk_create(
        Label(workspace=workspace, project=project, name=f"label {n}") for n in range(LABELS)
    )
    values = {
        "workspace": workspace.id,
        "project": project.id,
        "state": state.id,
        "people": [user.id for user in people],
        "labels": [label.id for label in labels],
        "texts": _texts(),
        "count": count,
    }
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")  # foreign keys are right, and not checked
        for statement in _STATEMENTS:
            cursor.execute(statement, values)
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("ANALYZE")
    return project


def _texts() -> list[str]:
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(2, 9))) for _ in range(6000)]
    words += ['"quoted"', "a,b", "<b>&", "日本語", "😀", "first\nsecond"] * 40
    weights = [1 / (rank + 5) for rank in range(len(words))]
    return [" ".join(chance.choices(words, weights, k=chance.randint(3, 280)))[:2000] for _ in range(TEXTS)]
