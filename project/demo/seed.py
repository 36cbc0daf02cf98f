"""Fills an empty database with the team of ``company.py`` and the issues it has been working on."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.html import strip_tags
from rest_framework.authtoken.models import Token

from project.demo import company
from project.models import (
    Issue,
    IssueAssignee,
    IssueLabel,
    IssueSubscriber,
    Label,
    Project,
    ProjectMember,
    State,
    User,
    Workspace,
    WorkspaceMember,
)


@dataclass(frozen=True)
class Cast:
    """Who and what the story can speak of: ids by the keys of ``company.py``, and each person's API token."""

    slug: str
    project: UUID
    people: dict[str, UUID]
    tokens: dict[str, str]
    states: dict[str, UUID]
    issues: dict[str, UUID]


@dataclass(frozen=True)
class _Place:
    """What every row of the seed hangs on."""

    workspace: Workspace
    project: Project
    people: dict[str, User]
    states: dict[str, State]
    labels: dict[str, Label]


@transaction.atomic
def seed(*, password: str, now: datetime) -> Cast:
    """Write people, project and issues, without any event: what happens next is the story's.

    All people sign in with `password`, made for this demo alone; the first is also the site's administrator.
    """
    people = _people(password)
    place = _place(people)
    issues = {
        work.key: _issue(place, number, work, now - timedelta(days=9 - number))
        for number, work in enumerate(company.ISSUES, start=1)
    }
    return Cast(
        slug=place.workspace.slug,
        project=place.project.id,
        people={key: user.id for key, user in people.items()},
        tokens={key: Token.objects.create(user=user).key for key, user in people.items()},
        states={name: state.id for name, state in place.states.items()},
        issues={key: issue.id for key, issue in issues.items()},
    )


def _people(password: str) -> dict[str, User]:
    admin, *others = company.PEOPLE
    return {
        admin.key: User.objects.create_superuser(admin.email, password, **_names(admin)),
        **{
            person.key: User.objects.create_user(person.email, password, **_names(person))
            for person in others
        },
    }


def _names(person: company.Person) -> dict[str, Any]:
    return {
        "first_name": person.first_name,
        "last_name": person.last_name,
        "display_name": person.first_name,
        "is_email_verified": True,
        "is_email_valid": True,
    }


def _place(people: dict[str, User]) -> _Place:
    owner = next(iter(people.values()))
    workspace = Workspace.objects.create(name=company.COMPANY, slug=company.SLUG, owner=owner)
    project = Project.objects.create(workspace=workspace, name=company.PROJECT, identifier=company.IDENTIFIER)
    for person in company.PEOPLE:
        member = {"workspace": workspace, "member": people[person.key], "role": person.role}
        WorkspaceMember.objects.create(**member)
        ProjectMember.objects.create(**member, project=project)
    return _Place(
        workspace=workspace,
        project=project,
        people=people,
        states={
            name: State.objects.create(workspace=workspace, project=project, name=name, group=group)
            for name, group in company.STATES.items()
        },
        labels={
            name: Label.objects.create(workspace=workspace, project=project, name=name, color=color)
            for name, color in company.LABELS.items()
        },
    )


def _issue(place: _Place, number: int, work: company.Work, created_at: datetime) -> Issue:
    where = {"workspace": place.workspace, "project": place.project}
    author, assignee = place.people[work.author], place.people[work.assignee]
    issue = Issue.objects.create(
        **where,
        name=work.name,
        sequence_id=number,
        description_html=work.description,
        description_stripped=strip_tags(work.description),
        priority=work.priority,
        state=place.states[work.state],
        created_by=author,
        created_at=created_at,
    )
    IssueAssignee.objects.create(**where, issue=issue, assignee=assignee)
    IssueLabel.objects.create(**where, issue=issue, label=place.labels[work.label])
    for key in (work.author, work.assignee, *work.followers):
        IssueSubscriber.objects.create(**where, issue=issue, subscriber=place.people[key])
    return issue
