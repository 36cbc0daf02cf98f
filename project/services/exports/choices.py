"""By what the issues of projects can be restricted: the people and the labels that there are in them."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from project.models import Label, Project, ProjectMember, User, Workspace

Choice = tuple[str, str]  # an id and a name


def people_in(projects: Collection[UUID]) -> list[Choice]:
    """Return the active members of `projects`, by name."""
    memberships = ProjectMember.objects.filter(member=OuterRef("pk"), project_id__in=projects, is_active=True)
    members = User.objects.filter(Exists(memberships), is_active=True, is_bot=False)
    return sorted(((str(user.id), user.full_name) for user in members), key=_by_name)


def labels_in(workspace: Workspace, projects: Collection[UUID]) -> list[Choice]:
    """Return the labels of `projects` and of the workspace, by name; of several projects, with the project's."""
    usable = Label.objects.filter(Q(project_id__in=projects) | Q(project=None), workspace=workspace)
    rows = usable.values_list("id", "name", "project__identifier")
    return sorted(
        (
            (str(id_), f"{name} ({project})" if project and len(projects) > 1 else name)
            for id_, name, project in rows
        ),
        key=_by_name,
    )


def _by_name(choice: Choice) -> tuple[str, str]:
    return choice[1].casefold(), choice[0]


def projects_of(ids: Collection[UUID]) -> list[Choice]:
    """Return those of these projects that are not archived, by name."""
    names = Project.objects.filter(id__in=ids, archived_at=None).values_list("id", "name")
    return sorted(((str(id_), name) for id_, name in names), key=_by_name)
