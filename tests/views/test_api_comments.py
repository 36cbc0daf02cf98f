"""Comments over HTTP."""

from uuid import uuid4

import pytest

from project.models import Issue, IssueComment, ProjectMember, Role
from tests.factories import Team, make_comment, make_issue, make_team
from tests.views.api import by_token, issue_url

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    return make_team()


@pytest.fixture
def issue(team: Team) -> Issue:
    return make_issue(team)


def test_create_list_change_delete(team: Team, issue: Issue) -> None:
    client, url = by_token(team.members["bob"]), issue_url(issue, "comments/")
    created = client.post(url, {"comment_html": "<p>One</p>"}, format="json")
    make_comment(issue, team.members["eve"], "<p>Two</p>")
    make_comment(make_issue(team), team.members["eve"], "<p>Elsewhere</p>")

    assert created.status_code == 201
    comment = created.json()
    assert (comment["comment_stripped"], comment["actor"]) == ("One", str(team.members["bob"].id))
    assert [row["comment_stripped"] for row in client.get(url).json()["results"]] == ["One", "Two"]

    changed = client.patch(f"{url}{comment['id']}/", {"comment_html": "<p>1</p>"}, format="json")
    assert changed.status_code == 200
    assert changed.json()["comment_html"] == "<p>1</p>"
    assert changed.json()["edited_at"]

    assert client.delete(f"{url}{comment['id']}/").status_code == 204
    assert [row["comment_stripped"] for row in client.get(url).json()["results"]] == ["Two"]
    gone = client.delete(f"{url}{comment['id']}/")
    assert (gone.status_code, gone.json()) == (404, {"error": "There is no such comment."})


def test_only_the_author_and_admins_change_a_comment(team: Team, issue: Issue) -> None:
    comment = make_comment(issue, team.members["bob"])
    url = issue_url(issue, f"comments/{comment.id}/")
    for name, status in {"eve": 403, "bob": 200, "ann": 200}.items():
        body = {"comment_html": f"<p>by {name}</p>"}
        response = by_token(team.members[name]).patch(url, body, format="json")
        assert response.status_code == status, name
    assert by_token(team.members["eve"]).delete(url).status_code == 403
    assert IssueComment.objects.get().comment_html == "<p>by ann</p>"
    assert by_token(team.members["ann"]).delete(url).status_code == 204


def test_a_guest_may_comment_and_follow_but_not_change(team: Team, issue: Issue) -> None:
    eve = team.members["eve"]
    ProjectMember.objects.filter(member=eve).update(role=Role.GUEST)
    issue.assignee_links.create(issue=issue, assignee=eve, project=team.project, workspace=team.workspace)
    client = by_token(eve)
    comment, body = {"comment_html": "<p>Hello</p>"}, {"name": "Mine"}
    assert client.post(issue_url(issue, "comments/"), comment, format="json").status_code == 201
    assert client.post(issue_url(issue, "subscribe/")).status_code == 201
    assert client.get(issue_url(issue)).status_code == 200
    for response in (
        client.post(issue_url(issue).replace(f"{issue.id}/", ""), body, format="json"),
        client.patch(issue_url(issue), body, format="json"),
        client.delete(issue_url(issue)),
    ):
        assert (response.status_code, response.json()) == (403, {"error": "Guests may not do this."})


def test_what_is_not_known_is_refused(team: Team, issue: Issue) -> None:
    comment, client = make_comment(issue, team.members["bob"]), by_token(team.members["bob"])
    body = {"comment_html": "<p>Hi</p>", "comment_json": {}}
    for response in (
        client.post(issue_url(issue, "comments/"), body, format="json"),
        client.patch(issue_url(issue, f"comments/{comment.id}/"), body, format="json"),
    ):
        assert (response.status_code, response.json()) == (400, {"comment_json": ["There is no such field."]})
    assert IssueComment.objects.get().comment_html == "<p>Hello</p>"


def test_a_comment_belongs_to_its_issue(team: Team, issue: Issue) -> None:
    comment = make_comment(make_issue(team), team.members["bob"])
    for id_ in (comment.id, uuid4()):
        response = by_token(team.members["bob"]).delete(issue_url(issue, f"comments/{id_}/"))
        assert response.status_code == 404
