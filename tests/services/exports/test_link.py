from datetime import timedelta

import pytest
from django.utils import timezone

from project.models import Exporter, IssueAssignee, Project, ProjectMember, Role, User, WorkspaceMember
from project.services.exports.cancel import delete
from project.services.exports.link import ForbiddenError, NoLinkError, link, offered_until
from tests.factories import Team, join, make_issue, make_team, make_user
from tests.services.exports.exporting import LIMITS, add_project, make, requested, storage

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def team() -> Team:
    team = make_team()
    make_issue(team)
    return team


def completed(team: Team, by: str | User = "bob") -> Exporter:
    export = requested(team, by=by)
    make(export)
    return reloaded(export)


def reloaded(export: Exporter) -> Exporter:
    return Exporter.all_objects.select_related("run", "workspace", "initiated_by").get(id=export.id)


def ask(export: Exporter, user: User | None = None, after: timedelta = timedelta(0)) -> str:
    asked_by = User.objects.get(id=(user or export.initiated_by).id)
    return link(export, asked_by, storage=storage(), now=export.run.ended_at + after, limits=LIMITS)


def test_the_initiator_gets_a_link_for_a_click(team):
    url = ask(completed(team))
    assert f"X-Amz-Expires={int(LIMITS.export_link.total_seconds())}" in url
    assert "acme-issues-" in url


def test_nobody_else_gets_one_not_even_an_admin(team):
    export = completed(team)
    for name in ("ann", "carl"):
        with pytest.raises(ForbiddenError, match="somebody else's"):
            ask(export, team.members[name])


@pytest.mark.parametrize(
    "lose",
    [
        lambda: ProjectMember.objects.update(is_active=False),
        lambda: WorkspaceMember.objects.update(is_active=False),
        lambda: User.objects.update(is_active=False),
        lambda: ProjectMember.objects.update(role=Role.GUEST),
    ],
)
def test_who_lost_access_gets_none_for_what_they_exported_before(team, lose):
    export = completed(team)
    assert ask(export)
    lose()
    with pytest.raises(ForbiddenError, match="no longer"):
        ask(export)


def test_one_lost_project_of_two_is_enough(team):
    second = add_project(team, "Second", "SECOND")
    place = {"workspace": team.workspace, "project": second, "role": Role.MEMBER}
    ProjectMember.objects.create(**place, member=team.members["bob"])
    export = completed(team)
    ProjectMember.objects.filter(project=second).update(is_active=False)
    with pytest.raises(ForbiddenError):
        ask(export)


def test_a_guest_who_becomes_a_member_and_an_archived_project_keep_it(team):
    guest = make_user("gus")
    join(team.workspace, team.project, guest, Role.GUEST)
    make_issue(team, created_by=guest)
    export = completed(team, guest)
    assert export.run.own_projects == [team.project.id]
    ProjectMember.objects.filter(member=guest).update(role=Role.MEMBER)
    Project.objects.update(archived_at=timezone.now())
    assert ask(export)


def test_a_guest_keeps_what_holds_an_issue_that_they_are_not_assigned_to_any_more(team):
    guest = make_user("gus")
    join(team.workspace, team.project, guest, Role.GUEST)
    make_issue(team, assignees=[guest])
    export = completed(team, guest)
    IssueAssignee.objects.all().delete()
    assert ask(export)
    ProjectMember.objects.filter(member=guest).update(is_active=False)
    with pytest.raises(ForbiddenError):
        ask(export)


def test_links_are_given_out_for_seven_days_and_the_archive_is_kept_for_eight(team):
    export = completed(team)
    assert ask(export, after=timedelta(days=7, seconds=-1))
    with pytest.raises(NoLinkError, match="expired"):
        ask(export, after=timedelta(days=7))
    assert offered_until(export, LIMITS) == export.run.ended_at + timedelta(days=7)


def test_without_an_archive_there_is_no_link(team):
    waiting = reloaded(requested(team))
    with pytest.raises(NoLinkError, match="queued: there is nothing"):
        link(waiting, team.members["ann"], storage=storage(), now=timezone.now(), limits=LIMITS)
    gone = completed(team)
    delete(gone, now=timezone.now())
    with pytest.raises(NoLinkError):
        ask(reloaded(gone))
