"""Who is told of what: one table, which is also the one in docs/notifications.md, held against the HTTP API."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from rest_framework.test import APIClient

from project.models import Issue, User
from project.services.notifications.archiving import archive
from project.services.notifications.automation import close
from project.services.notifications.record import EventKind
from tests.factories import make_comment, make_label
from tests.services.notifications.scene import (
    PEOPLE,
    Scene,
    make_scene,
    quarter_idle,
    tell_of_all,
    told_by_mail,
    told_in_inbox,
)
from tests.views.api import by_session, by_token, issue_url

pytestmark = pytest.mark.django_db

TABLE = """\
| What happens | Events (`….activity.…`) | Creator | Assignee | Follower | Named | Neighbour |
| --- | --- | --- | --- | --- | --- | --- |
| An issue is created and assigned | issue.created | | | | told | |
| An issue is created and gets the default assignee | issue.created | | | | told | |
| An issue is created and mentions somebody | issue.created | | | | mention | |
| An issue is created below another | issue.created, issue.updated | told | told | told | | |
| The title is changed | issue.updated | told | told | told | | |
| The description is changed | issue.updated | told | told | told | | |
| The description newly mentions somebody | issue.updated | told | told | told | mention | |
| The state is changed | issue.updated | told | told | told | | |
| The issue is completed | issue.updated | told | told | told | | |
| The priority is changed | issue.updated | told | told | told | | |
| The estimate is changed | issue.updated | told | told | told | | |
| The estimate is removed | issue.updated | told | told | told | | |
| The start date is changed | issue.updated | told | told | told | | |
| The due date is removed | issue.updated | told | told | told | | |
| A label is added | issue.updated | told | told | told | | |
| Somebody is assigned | issue.updated | told | told | told | told | |
| An assignee is taken off | issue.updated | told | told | told | | |
| Another issue becomes the parent | issue.updated | told | told | told | | told |
| The parent is removed | issue.updated | told | told | told | | told |
| Sub-issues are added | issue.updated | told | told | told | | told |
| A comment is written | comment.created | told | told | told | | |
| A comment mentions somebody | comment.created | told | told | told | mention | |
| A comment is edited | comment.updated | told | told | told | | |
| A comment is deleted | comment.deleted | told | told | told | | |
| A link is added | link.created | told | told | told | | |
| A link is changed | link.updated | told | told | told | | |
| A link is removed | link.deleted | told | told | told | | |
| A file is attached | attachment.created | told | told | told | | |
| An attachment is removed | attachment.deleted | told | told | told | | |
| The issue is related to another | issue_relation.created | told | told | told | | told |
| A relation is removed | issue_relation.deleted | told | told | told | | told |
| The issue is put into a cycle | cycle.created | told | told | told | | |
| The issue is taken out of a cycle | cycle.deleted | told | told | told | | |
| The issue is put into a module | module.created | told | told | told | | |
| The issue is taken out of a module | module.deleted | told | told | told | | |
| The issue is archived | issue.updated | told | told | told | | |
| The issue is restored | issue.updated | told | told | told | | |
| The issue is deleted | issue.deleted | told | told | told | | |
| Many issues are changed at once | issue.updated | told | told | told | | told |
| Many issues are archived at once | issue.updated | told | told | told | | told |
| Many issues are deleted at once | issue.deleted | told | told | told | | told |
| A rule of the project closes the issue | issue.updated | told | told | told | | |
| A rule of the project archives the issue | issue.updated | told | told | told | | |
| A draft is changed | issue.updated | | | | | |
| An issue in triage is changed | issue.updated | | | | | |
| Nothing changes | | | | | | |
| The title of a link is changed | | | | | | |
| Somebody follows the issue | | | | | | |
"""

ROWS = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TABLE.splitlines()[2:]]
COLUMNS = [name.strip().lower() for name in TABLE.splitlines()[0].split("|")[3:-1]]

Doing = Callable[[Scene], Any]


def patch(**body: Any) -> Doing:
    """Change the issue; what needs the scene is given as a function of it."""
    return lambda s: s.on_issue("patch", **{k: v(s) if callable(v) else v for k, v in body.items()})


def create(**body: Any) -> Doing:
    return lambda s: s.on_project(
        "post", "issues/", name="New", **{k: v(s) if callable(v) else v for k, v in body.items()}
    )


def after(preparation: Doing, doing: Doing) -> Doing:
    return lambda s: (preparation(s), doing(s))


def state(group: str) -> Doing:
    return lambda s: str(s.team.states[group].id)


def in_state(group: str) -> Doing:
    return lambda s: s.change(state=s.team.states[group])


def both(s: Scene) -> list[str]:
    return [str(s.issue.id), str(s.other.id)]


def comment(s: Scene) -> str:
    return f"comments/{make_comment(s.issue, s.team.members['actor']).id}/"


DOINGS: dict[str, Doing] = {
    "An issue is created and assigned": create(assignee_ids=lambda s: [s.id_of("named")]),
    "An issue is created and gets the default assignee": after(Scene.default_assignee, create()),
    "An issue is created and mentions somebody": create(description_html=Scene.mention),
    "An issue is created below another": create(parent_id=lambda s: str(s.issue.id)),
    "The title is changed": patch(name="Gate"),
    "The description is changed": patch(description_html="<p>Look</p>"),
    "The description newly mentions somebody": patch(description_html=Scene.mention),
    "The state is changed": patch(state_id=state("started")),
    "The issue is completed": patch(state_id=state("completed")),
    "The priority is changed": patch(priority="high"),
    "The estimate is changed": patch(estimate_point=lambda s: str(s.estimate_point().id)),
    "The estimate is removed": after(
        lambda s: s.change(estimate_point=s.estimate_point()), patch(estimate_point=None)
    ),
    "The start date is changed": patch(start_date="2026-05-04"),
    "The due date is removed": after(lambda s: s.change(target_date="2026-05-04"), patch(target_date=None)),
    "A label is added": patch(label_ids=lambda s: [str(make_label(s.team, "wood").id)]),
    "Somebody is assigned": patch(assignee_ids=lambda s: [s.id_of("assignee"), s.id_of("named")]),
    "An assignee is taken off": patch(assignee_ids=[]),
    "Another issue becomes the parent": patch(parent_id=lambda s: str(s.other.id)),
    "The parent is removed": after(lambda s: s.change(parent=s.other), patch(parent_id=None)),
    "Sub-issues are added": lambda s: s.call(
        "post", issue_url(s.other, "sub-issues/"), {"sub_issue_ids": [str(s.issue.id)]}
    ),
    "A comment is written": lambda s: s.on_issue("post", "comments/", comment_html="<p>Hi</p>"),
    "A comment mentions somebody": lambda s: s.on_issue("post", "comments/", comment_html=s.mention()),
    "A comment is edited": lambda s: s.on_issue("patch", comment(s), comment_html="<p>Ho</p>"),
    "A comment is deleted": lambda s: s.on_issue("delete", comment(s)),
    "A link is added": lambda s: s.on_issue("post", "issue-links/", url="https://example.org"),
    "A link is changed": lambda s: s.on_issue(
        "patch", f"issue-links/{s.link().id}/", url="https://example.org/b"
    ),
    "A link is removed": lambda s: s.on_issue("delete", f"issue-links/{s.link().id}/"),
    "A file is attached": lambda s: s.on_issue("post", "issue-attachments/", name="plan.pdf", size=9),
    "An attachment is removed": lambda s: s.on_issue("delete", f"issue-attachments/{s.attachment().id}/"),
    "The issue is related to another": lambda s: s.on_issue(
        "post", "issue-relation/", relation_type="blocking", issues=[str(s.other.id)]
    ),
    "A relation is removed": after(
        Scene.relation, lambda s: s.on_issue("post", "remove-relation/", related_issue=str(s.other.id))
    ),
    "The issue is put into a cycle": lambda s: s.on_project(
        "post", f"cycles/{s.cycle().id}/cycle-issues/", issues=[str(s.issue.id)]
    ),
    "The issue is taken out of a cycle": lambda s: s.on_project(
        "delete", f"cycles/{s.cycle(s.issue).id}/cycle-issues/{s.issue.id}/"
    ),
    "The issue is put into a module": lambda s: s.on_issue("post", "modules/", modules=[str(s.module().id)]),
    "The issue is taken out of a module": lambda s: s.on_project(
        "delete", f"modules/{s.module(s.issue).id}/issues/{s.issue.id}/"
    ),
    "The issue is archived": after(in_state("completed"), lambda s: s.on_issue("post", "archive/")),
    "The issue is restored": after(
        lambda s: s.change(archived_at="2026-03-01"), lambda s: s.on_issue("delete", "archive/")
    ),
    "The issue is deleted": lambda s: s.on_issue("delete"),
    "Many issues are changed at once": lambda s: s.on_project(
        "post", "bulk-operation-issues/", issue_ids=both(s), properties={"priority": "high"}
    ),
    "Many issues are archived at once": after(
        lambda s: Issue.objects.update(state=s.team.states["cancelled"]),
        lambda s: s.on_project("post", "bulk-archive-issues/", issue_ids=both(s)),
    ),
    "Many issues are deleted at once": lambda s: s.on_project(
        "delete", "bulk-delete-issues/", issue_ids=both(s)
    ),
    "A rule of the project closes the issue": lambda s: close(
        s.issue.id, s.team.states["cancelled"].id, by=quarter_idle(), now=timezone.now()
    ),
    "A rule of the project archives the issue": after(
        in_state("completed"), lambda s: archive(s.issue.id, by=quarter_idle(), now=timezone.now())
    ),
    "A draft is changed": after(lambda s: s.change(is_draft=True), patch(name="Gate")),
    "An issue in triage is changed": after(Scene.into_triage, patch(name="Gate")),
    "Nothing changes": patch(priority="none"),
    "The title of a link is changed": lambda s: s.on_issue(
        "patch", f"issue-links/{s.link().id}/", title="Home"
    ),
    "Somebody follows the issue": lambda s: s.on_issue("post", "subscribe/"),
}


@pytest.mark.parametrize("door", [by_session, by_token])
def test_who_is_told(door: Callable[[User], APIClient]) -> None:
    scene, wrong = make_scene(door), {}
    for what, kinds, *cells in ROWS:
        told = {person: how for person, how in zip(COLUMNS, cells, strict=True) if how}
        before = transaction.savepoint()
        DOINGS[what](scene)
        found = tell_of_all(), told_in_inbox(scene.team), told_by_mail(scene.team)
        transaction.savepoint_rollback(before)
        if found != (events(kinds), told, told):
            wrong[what] = found
    assert wrong == {}


def events(kinds: str) -> set[str]:
    """The kinds in a cell, written out."""
    return {kind.strip().replace(".", ".activity.", 1) for kind in kinds.split(",") if kind}


def test_the_table_has_every_kind_of_event_and_everybody() -> None:
    assert set().union(*(events(kinds) for _, kinds, *_ in ROWS)) == set(EventKind)
    assert {*COLUMNS, "actor", "left", "other"} == set(PEOPLE)  # the last three are never told


def test_the_document_has_this_table() -> None:
    document = Path(__file__).parents[3] / "docs" / "notifications.md"
    assert TABLE in document.read_text()
