"""Makes log rows that wait to be mailed, by the way they are really made: changes, events, fan-out."""

from collections.abc import Callable, Iterator
from itertools import chain
from uuid import UUID, uuid4

from django.conf import settings
from django.utils import timezone

from project.models import (
    Issue,
    IssueSubscriber,
    Project,
    ProjectMember,
    Role,
    State,
    StateGroup,
    User,
    Wake,
    Workspace,
    WorkspaceMember,
)
from project.services.notifications.comments import create_comment
from project.services.notifications.fan_out import fan_out
from project.services.notifications.issues import update_issue

RECEIVERS = 50  # who follow every issue
COMMENT = "<p>The second voucher hangs the payment: <code>VoucherError</code> in <b>14</b> of 90 logs. {}</p>"


def fill(issues: int, changes: int) -> int:
    """Let one person change `issues` issues with 1 to 4 `changes` each, in front of 50 followers.

    Returns:
        How many log rows wait now: issues × changes × 50.
    """
    actor, project = _project()
    wakes = chain.from_iterable(_changes(_issue(project, number), actor, changes) for number in range(issues))
    for wake in wakes:
        fan_out(wake.row_id, wake.dispatch, now=timezone.now(), limits=settings.LIMITS)
    return issues * changes * RECEIVERS


def _project() -> tuple[User, Project]:
    slug = uuid4().hex
    actor, *followers = [
        User(
            username=f"{number}-{slug}",
            email=f"{number}@{slug}.example",
            display_name=f"Person {number}",
            is_email_valid=True,
            is_email_verified=True,
        )
        for number in range(RECEIVERS + 1)
    ]
    User.objects.bulk_create([actor, *followers])
    workspace = Workspace.objects.create(name="Bench", slug=slug, owner=actor)
    project = Project.objects.create(workspace=workspace, name="Bench", identifier="BENCH")
    place = {"workspace": workspace, "role": Role.MEMBER}
    WorkspaceMember.objects.bulk_create(WorkspaceMember(**place, member=u) for u in [actor, *followers])
    ProjectMember.objects.bulk_create(
        ProjectMember(**place, project=project, member=user) for user in [actor, *followers]
    )
    for group in (StateGroup.UNSTARTED, StateGroup.STARTED):
        State.objects.create(workspace=workspace, project=project, name=group.value, group=group)
    return actor, project


def _issue(project: Project, number: int) -> Issue:
    place = {"workspace": project.workspace, "project": project}
    state = State.objects.get(project=project, group=StateGroup.UNSTARTED)
    issue = Issue.objects.create(**place, name=f"Voucher {number} hangs", sequence_id=number + 1, state=state)
    followers = User.objects.filter(email__endswith=f"@{project.workspace.slug}.example")
    IssueSubscriber.objects.bulk_create(
        IssueSubscriber(**place, issue=issue, subscriber=user)
        for user in followers.exclude(id=project.workspace.owner_id)
    )
    return issue


def _changes(issue: Issue, actor: User, changes: int) -> Iterator[Wake]:
    now = timezone.now()
    started: UUID = State.objects.get(project=issue.project, group=StateGroup.STARTED).id
    steps: tuple[Callable[[], list[Wake]], ...] = (
        lambda: create_comment(issue.id, COMMENT.format("Cause found."), actor=actor, now=now)[1],
        lambda: update_issue(issue.id, {"state_id": started}, actor=actor, now=now),
        lambda: update_issue(issue.id, {"priority": "high"}, actor=actor, now=now),
        lambda: create_comment(issue.id, COMMENT.format("Fix is on its way."), actor=actor, now=now)[1],
    )
    for step in steps[:changes]:
        yield from step()
