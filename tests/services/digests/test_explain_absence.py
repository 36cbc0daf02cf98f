"""Why somebody was not told: each reason in words, and the same verdict as the audience rules."""

from collections.abc import Callable
from datetime import timedelta
from uuid import NAMESPACE_OID, UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.limits import Limits
from project.models import (
    Issue,
    IssueActivity,
    IssueAssignee,
    IssueSubscriber,
    Notification,
    Project,
    ProjectMember,
    Role,
    State,
    StateGroup,
    User,
    Workspace,
    WorkspaceMember,
)
from project.services.digests.explain import explain_event, explain_person
from project.services.digests.explain_absence import Part, why_absent
from project.services.digests.explain_standing import Standing
from project.services.notifications.audience import audience
from project.services.notifications.fan_out import fan_out
from project.services.notifications.people import People
from tests.factories import Team, make_issue, make_team, make_user
from tests.services.notifications.events import COMMENTED, NOW, make_event

LATER = NOW + timedelta(days=1)
BOB = uuid5(NAMESPACE_OID, "bob")
ANN = uuid5(NAMESPACE_OID, "ann")

Deed = Callable[[Team, Issue], object]


def set_user(**fields: object) -> Deed:
    return lambda team, issue: User.objects.filter(pk=team.members["bob"].pk).update(**fields)


def set_member(model: type[ProjectMember] | type[WorkspaceMember], **fields: object) -> Deed:
    return lambda team, issue: model.all_objects.filter(member=team.members["bob"]).update(**fields)


def set_issue(**fields: object) -> Deed:
    return lambda team, issue: Issue.objects.filter(pk=issue.pk).update(**fields)


def into_triage(team: Team, issue: Issue) -> None:
    State.objects.filter(pk=issue.state_id).update(group=StateGroup.TRIAGE)


def follow(team: Team, issue: Issue, **fields: object) -> None:
    place = {"workspace": issue.workspace, "project": issue.project, "issue": issue}
    IssueSubscriber.all_objects.create(
        **{**place, "subscriber": team.members["bob"], "created_at": NOW, **fields}
    )


def follow_as_guest(team: Team, issue: Issue) -> None:
    follow(team, issue)
    set_member(ProjectMember, role=Role.GUEST)(team, issue)


def do_it_themselves(team: Team, issue: Issue) -> None:
    issue.events.update(actor=team.members["bob"])


def follow_and(deed: Deed) -> Deed:
    def both(team: Team, issue: Issue) -> None:
        follow(team, issue)
        deed(team, issue)

    return both


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("deed", "why"),
    [
        pytest.param(
            follow_and(set_issue(is_draft=True)),
            "the issue is a draft, and drafts are told to nobody; would be told if it were a draft no more",
            id="draft",
        ),
        pytest.param(
            follow_and(into_triage),
            "the issue waits in triage, where it is told to nobody; would be told if it were accepted",
            id="triage",
        ),
        pytest.param(do_it_themselves, "did it themselves; would be told if somebody else had", id="acted"),
        pytest.param(
            follow_and(set_user(is_active=False, updated_at=NOW)),
            "the account is not active since at least 2026-03-02 09:00:00 UTC; would be told if it were active",
            id="inactive",
        ),
        pytest.param(follow_and(set_user(is_bot=True)), "bots are told nothing", id="bot"),
        pytest.param(
            follow_and(lambda t, i: WorkspaceMember.objects.filter(member=t.members["bob"]).delete()),
            "is not a member of the workspace acme; would be told if they were an active member",
            id="no member of the workspace",
        ),
        pytest.param(
            follow_and(set_member(WorkspaceMember, is_active=False, updated_at=NOW)),
            "is not an active member of the workspace acme since at least 2026-03-02 09:00:00 UTC",
            id="deactivated in the workspace",
        ),
        pytest.param(
            follow_and(lambda t, i: ProjectMember.objects.filter(member=t.members["bob"]).delete()),
            "is not a member of the project ACME;",
            id="no member of the project",
        ),
        pytest.param(
            follow_and(set_member(ProjectMember, deleted_at=NOW)),
            "is not a member of the project ACME any more since 2026-03-02 09:00:00 UTC",
            id="removed from the project",
        ),
        pytest.param(
            follow_and(set_member(ProjectMember, is_active=False, updated_at=NOW)),
            "is not an active member of the project ACME since at least",
            id="deactivated in the project",
        ),
        pytest.param(
            follow_as_guest,
            "is a guest, and ACME hides other people's issues from guests; would be told if they were a member",
            id="guest",
        ),
        pytest.param(
            lambda t, i: follow(t, i, deleted_at=NOW),
            "left the issue since 2026-03-02 09:00:00 UTC; would be told if they subscribed",
            id="left",
        ),
        pytest.param(lambda t, i: None, "has nothing to do with the issue", id="not concerned"),
        pytest.param(
            follow_and(lambda t, i: IssueActivity.objects.update(field="sort_order")),
            "only what machines keep has changed, and that is told to nobody",
            id="kept by a machine",
        ),
    ],
)
def test_each_reason_why_somebody_is_not_told(deed: Deed, why: str) -> None:
    team = make_team()
    issue = make_issue(team)
    event = make_event(issue, team.members["ann"], COMMENTED)
    deed(team, issue)
    fan_out(event.id, 1, now=NOW, limits=Limits())
    assert not Notification.objects.filter(receiver=team.members["bob"]).exists()

    bob = User.objects.get(pk=team.members["bob"].pk)
    [story] = explain_person(bob, Issue.objects.get(pk=issue.pk), now=NOW, limits=Limits())

    last = story.steps[-1]
    assert (last.name, last.when, last.what) == ("not told", NOW, "neither in the inbox nor by mail")
    assert why in last.because


@pytest.mark.django_db
def test_an_event_that_nobody_is_told_of_says_why() -> None:
    team = make_team()
    issue = make_issue(team, is_draft=True)
    event = make_event(issue, team.members["bob"], COMMENTED)
    assert [step.name for step in explain_event(event.id, now=NOW, limits=Limits())[0].steps][-1] == "change"
    fan_out(event.id, 1, now=NOW, limits=Limits())
    last = explain_event(event.id, now=NOW, limits=Limits())[0].steps[-1]
    assert (last.name, last.when, last.what) == ("not told", NOW, "nobody is told")
    assert last.because.startswith("the issue is a draft")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("deed", "why"),
    [
        (lambda t, i: follow(t, i, created_at=LATER), "subscribed only on 2026-03-03 09:00:00 UTC"),
        (
            follow_and(set_member(ProjectMember, created_at=LATER)),
            "became a member of the project only on 2026-03-03 09:00:00 UTC",
        ),
        (
            follow_and(set_member(WorkspaceMember, created_at=LATER)),
            "became a member of the workspace only on 2026-03-03",
        ),
        (
            follow,
            "would be told now; what was otherwise when the audience was made (2026-03-02 09:00:00 UTC)",
        ),
    ],
)
def test_who_came_later_is_told_what_came_too_late(deed: Deed, why: str) -> None:
    team = make_team()
    issue = make_issue(team)
    fan_out(make_event(issue, team.members["ann"], COMMENTED).id, 1, now=NOW, limits=Limits())
    set_member(WorkspaceMember, created_at=NOW)(team, issue)
    set_member(ProjectMember, created_at=NOW)(team, issue)
    deed(team, issue)

    [story] = explain_person(team.members["bob"], issue, now=NOW, limits=Limits())

    assert why in story.steps[-1].because


@pytest.mark.django_db
def test_a_stranger_is_told_that_they_are_no_member() -> None:
    team = make_team()
    issue = make_issue(team)
    fan_out(make_event(issue, team.members["ann"], COMMENTED).id, 1, now=NOW, limits=Limits())
    [story] = explain_person(make_user("zoe"), issue, now=NOW, limits=Limits())
    assert "has nothing to do with the issue" in story.steps[-1].because


standings = st.fixed_dictionaries(
    {
        "created": st.booleans(),
        "assigned": st.booleans(),
        "subscription": st.sampled_from([None, "live", "left"]),
        "role": st.none() | st.sampled_from(list(Role)),
        "acted": st.booleans(),
        "newly_assigned": st.booleans(),
        "newly_mentioned": st.booleans(),
        "guests_see_all": st.booleans(),
    }
)


@given(standings)
def test_law_there_is_a_reason_exactly_if_the_audience_rules_leave_the_person_out(facts) -> None:
    def only(condition: object) -> frozenset[UUID]:
        return frozenset([BOB] if condition else [])

    people = People(
        actor=BOB if facts["acted"] else ANN,
        creator=BOB if facts["created"] else ANN,
        assignees=only(facts["assigned"]),
        followers=only(facts["subscription"] == "live"),
        left=only(facts["subscription"] == "left"),
        assigned=only(facts["newly_assigned"]),
        mentioned=only(facts["newly_mentioned"]),
        roles={} if facts["role"] is None else {BOB: facts["role"]},
        guests_see_all=facts["guests_see_all"],
    )
    project = Project(identifier="ACME", guest_view_all_features=facts["guests_see_all"])
    issue = Issue(workspace=Workspace(slug="acme"), project=project, created_by_id=people.creator)
    gone = None if facts["subscription"] == "live" else NOW
    standing = Standing(
        person=User(id=BOB),
        issue=issue,
        in_workspace=WorkspaceMember(),
        in_project=None if facts["role"] is None else ProjectMember(role=facts["role"]),
        assignment=IssueAssignee() if facts["assigned"] else None,
        subscription=IssueSubscriber(deleted_at=gone) if facts["subscription"] else None,
    )
    part = Part(facts["acted"], facts["newly_assigned"], facts["newly_mentioned"])

    assert (why_absent(standing, part) is None) == (BOB in audience(people))
