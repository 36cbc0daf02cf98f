"""Links, attachments, relations, sub-issues, cycles, modules, the archive, and many issues at once."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from project.models import FileAsset, Issue, IssueEvent, IssueLink, IssueRelation, ProjectMember, Role
from tests.factories import make_issue, make_team
from tests.services.notifications.scene import Scene, make_scene
from tests.views.api import by_token, issue_url

pytestmark = pytest.mark.django_db

LINKS, FILES, RELATION, UNRELATE = "issue-links/", "issue-attachments/", "issue-relation/", "remove-relation/"
BULK = "bulk-operation-issues/"
LONE_SURROGATE = "\ud800"


@pytest.fixture
def scene() -> Scene:
    return make_scene(by_token)


def send(client: APIClient, method: str, url: str, body: Any) -> Any:
    return getattr(client, method)(url, json.dumps(body), content_type="application/json")


def project_url(scene: Scene, rest: str) -> str:
    project = scene.team.project
    return f"/api/workspaces/{project.workspace.slug}/projects/{project.id}/{rest}"


def test_a_link(scene: Scene) -> None:
    url = "https://example.org/a?b=c#d"
    link = scene.on_issue("post", LINKS, url=f" {url} ", title="Home").json()
    assert (link["url"], link["title"], link["created_by"]) == (url, "Home", scene.id_of("actor"))
    assert scene.on_issue("get", LINKS).json()["results"] == [link]
    changed = scene.on_issue("patch", f"{LINKS}{link['id']}/", title="").json()
    assert (changed["url"], changed["title"]) == (url, "")
    scene.on_issue("delete", f"{LINKS}{link['id']}/")
    assert scene.client.get(issue_url(scene.issue, f"{LINKS}{link['id']}/")).status_code == 404
    # What was removed may come back; what is there may not come twice.
    scene.on_issue("post", LINKS, url=url)
    again = send(scene.client, "post", issue_url(scene.issue, LINKS), {"url": url})
    assert (again.status_code, again.json()) == (400, {"url": ["This issue has this link already."]})


def test_an_attachment(scene: Scene) -> None:
    sent = {"name": "plan (2).pdf", "size": 5, "type": "application/pdf"}
    file = scene.on_issue("post", FILES, **sent).json()
    assert file["attributes"] == sent
    assert file["asset"].startswith(f"{scene.team.workspace.id}/")
    assert file["asset"].endswith("-plan (2).pdf")
    assert scene.on_issue("get", f"{FILES}{file['id']}/").json() == file
    assert scene.on_issue("get", FILES).json()["count"] == 1
    other = by_token(scene.team.members["other"])
    assert other.delete(issue_url(scene.issue, f"{FILES}{file['id']}/")).status_code == 403
    scene.on_issue("delete", f"{FILES}{file['id']}/")
    assert FileAsset.all_objects.get().is_deleted


def test_relations_and_sub_issues_are_shown_from_both_sides(scene: Scene) -> None:
    other = str(scene.other.id)
    shown = scene.on_issue("post", RELATION, relation_type="blocked_by", issues=[other]).json()
    assert shown["blocked_by"] == [other]
    mirrored = scene.client.get(issue_url(scene.other, RELATION)).json()
    assert mirrored["blocking"] == [str(scene.issue.id)]
    scene.on_issue("post", UNRELATE, related_issue=other, relation_type="blocked_by")
    assert not IssueRelation.objects.exists()
    children = scene.on_issue("post", "sub-issues/", sub_issue_ids=[other]).json()["results"]
    assert [child["id"] for child in children] == [other]
    assert scene.client.get(issue_url(scene.other)).json()["parent_id"] == str(scene.issue.id)


def test_cycles_modules_and_the_archive_show_on_the_issue(scene: Scene) -> None:
    cycle, module, point = scene.cycle(), scene.module(), scene.estimate_point()
    properties = {"cycle_id": str(cycle.id), "module_ids": [str(module.id)], "estimate_point": str(point.id)}
    ids = [str(scene.issue.id), str(scene.other.id)]
    assert scene.on_project("post", BULK, issue_ids=ids, properties=properties).json() == {"changed": 2}
    shown = scene.on_issue("get").json()
    assert shown["cycle_id"] == str(cycle.id)
    assert shown["module_ids"] == [str(module.id)]
    assert shown["estimate_point"] == str(point.id)
    scene.on_project("post", BULK, issue_ids=ids, properties={"cycle_id": None})
    assert scene.on_issue("get").json()["cycle_id"] is None
    Issue.objects.update(state=scene.team.states["cancelled"])
    archived_at = scene.on_issue("post", "archive/").json()["archived_at"]
    assert scene.on_issue("get").json()["archived_at"] == archived_at != None  # noqa: E711


BAD = [
    *[
        (LINKS, "url", {"url": bad})
        for bad in (None, "", 5, [], "example.org", "//example.org", "mailto:a@b.org")
    ],
    *[
        (LINKS, "url", {"url": bad})
        for bad in (
            "javascript:alert(1)",
            "JavaScript://example.org/%0aalert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "https://example.org/\r\nX: y",
            "https://example.org/\u2028x",
            "https://example.org/\0",
            f"https://example.org/{LONE_SURROGATE}",
            f"https://example.org/{'x' * 2048}",
        )
    ],
    *[
        (LINKS, "title", {"url": "https://a.org", "title": bad})
        for bad in (5, "x" * 256, "\0", LONE_SURROGATE)
    ],
    (LINKS, "href", {"url": "https://a.org", "href": "x"}),
    *[
        (FILES, "name", {"name": bad, "size": 1})
        for bad in (None, "", 5, "a/b", "a\\b", "a\r\nb", "a\0b", "a\u2028b", LONE_SURROGATE, "x" * 256)
    ],
    *[(FILES, "size", {"name": "a", "size": bad}) for bad in (None, -1, "big", 1.5, 10**20, [], True)],
    (FILES, "asset", {"name": "a", "size": 1, "asset": "another/object"}),
    *[
        (RELATION, "relation_type", {"relation_type": bad, "issues": [str(uuid4())]})
        for bad in (None, "", 5, "x")
    ],
    (RELATION, "relation_type", {"issues": [str(uuid4())]}),
    *[
        (RELATION, "issues", {"relation_type": "blocking", "issues": bad})
        for bad in (None, [], {}, "x", ["x"], [None], [str(uuid4())])
    ],
    *[(UNRELATE, "related_issue", {"related_issue": bad}) for bad in (None, "", "x", [], str(uuid4()))],
    *[("sub-issues/", "sub_issue_ids", {"sub_issue_ids": bad}) for bad in (None, [], ["x"], [str(uuid4())])],
    *[("modules/", "modules", {"modules": bad}) for bad in (None, "x", ["x"], [str(uuid4())])],
    *[("modules/", "removed_modules", {"removed_modules": bad}) for bad in (None, "x", ["x"])],
    ("archive/", "state_id", {}),
]


@pytest.mark.parametrize("part", sorted({rest for rest, *_ in BAD}))
def test_the_bad_field_of_an_issue_s_part_is_named(scene: Scene, part: str) -> None:
    for field, body in [(field, body) for rest, field, body in BAD if rest == part]:
        response = send(scene.client, "post", issue_url(scene.issue, part), body)
        assert (response.status_code, response.json().keys()) == (400, {field}), body
    assert not IssueEvent.objects.exists()


ISSUE = "00000000-0000-4000-8000-000000000001"
BAD_MANY = [
    *[("issue_ids", {"issue_ids": bad, "properties": {}}) for bad in (None, [], "x", ["x"], [1])],
    *[("properties", {"issue_ids": [ISSUE], "properties": bad}) for bad in (None, [], "x")],
    *[
        ("properties", {"issue_ids": [ISSUE], "properties": bad})
        for bad in (
            {"name": "x"},
            {"priority": "x"},
            {"cycle_id": "x"},
            {"label_ids": None},
            {"state_id": None},
        )
    ],
    ("issue_ids", {"issue_ids": [ISSUE], "properties": {"priority": "high"}}),
]


def test_the_bad_field_of_a_change_of_many_is_named(scene: Scene) -> None:
    for field, body in BAD_MANY:
        response = send(scene.client, "post", project_url(scene, BULK), body)
        assert (response.status_code, response.json().keys()) == (400, {field}), body
    response = send(scene.client, "delete", project_url(scene, "bulk-delete-issues/"), {"issue_ids": [ISSUE]})
    assert (response.status_code, response.json().keys()) == (400, {"issue_ids"})


def test_there_is_a_bound_to_many(scene: Scene) -> None:
    bound = settings.LIMITS.bulk_issues
    body = {"issue_ids": [ISSUE] * (bound + 1), "properties": {}}
    response = send(scene.client, "post", project_url(scene, BULK), body)
    assert response.json() == {"issue_ids": [f"At most {bound} issues at a time."]}


def test_what_is_elsewhere_is_not_there(scene: Scene) -> None:
    foreign = make_issue(make_team("far"))
    for url in (
        issue_url(scene.issue, f"{LINKS}{uuid4()}/"),
        issue_url(scene.issue, f"{FILES}{uuid4()}/"),
        issue_url(scene.other, f"{LINKS}{scene.link().id}/"),
        issue_url(scene.other, f"{FILES}{scene.attachment().id}/"),
        issue_url(foreign, f"{LINKS}{scene.link().id}/"),
        project_url(scene, f"cycles/{uuid4()}/cycle-issues/{scene.issue.id}/"),
        project_url(scene, f"modules/{uuid4()}/issues/{scene.issue.id}/"),
        project_url(scene, f"modules/{scene.module().id}/issues/{foreign.id}/"),
    ):
        response = scene.client.delete(url)
        assert response.status_code == 404
        assert response.json()["error"].startswith("There is no such ")


def test_guests_look_and_change_nothing(scene: Scene) -> None:
    ProjectMember.objects.filter(member=scene.team.members["creator"]).update(role=Role.GUEST)
    guest, issue = by_token(scene.team.members["creator"]), scene.issue
    link, file, cycle, module = scene.link(), scene.attachment(), scene.cycle(issue), scene.module(issue)
    for rest in (LINKS, FILES, RELATION, "sub-issues/", f"{LINKS}{link.id}/", f"{FILES}{file.id}/"):
        assert guest.get(issue_url(issue, rest)).status_code == 200
    scene.relation()
    assert not any(
        guest.get(issue_url(issue, RELATION)).json().values()
    )  # the other issue is hidden from them
    on_issue = (LINKS, FILES, RELATION, UNRELATE, "sub-issues/", "modules/", "archive/")
    on_project = (
        BULK,
        "bulk-archive-issues/",
        f"cycles/{cycle.id}/cycle-issues/",
        f"modules/{module.id}/issues/",
    )
    calls = [
        *(("post", issue_url(issue, rest)) for rest in on_issue),
        *(("post", project_url(scene, rest)) for rest in on_project),
        ("patch", issue_url(issue, f"{LINKS}{link.id}/")),
        ("delete", issue_url(issue, f"{LINKS}{link.id}/")),
        ("delete", issue_url(issue, f"{FILES}{file.id}/")),
        ("delete", issue_url(issue, "archive/")),
        ("delete", project_url(scene, "bulk-delete-issues/")),
        ("delete", project_url(scene, f"cycles/{cycle.id}/cycle-issues/{issue.id}/")),
    ]
    for method, url in calls:
        response = send(guest, method, url, {})
        assert (response.status_code, response.json().keys()) == (403, {"error"}), url
    assert IssueLink.objects.count() == 1
    assert not IssueEvent.objects.exists()


def test_an_attachment_name_that_looks_like_html_is_text(scene: Scene) -> None:
    name = "<img src=x onerror=alert(1)>.png"
    assert scene.on_issue("post", FILES, name=name, size=0).json()["attributes"]["name"] == name
