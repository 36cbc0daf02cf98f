"""Takes a wish: a row that waits for a worker, or the one that is open already."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from project.limits import Limits
from project.models import Exporter, ExportRun, Project, User, Wake, Workspace, known_zones
from project.models.export import OPEN
from project.services.exports.scope import scope_of
from project.services.exports.wish import Wish


class WishError(Exception):
    """A wish that cannot be taken; `field` is its name in `Wish`, the text says why."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field


class TooManyError(Exception):
    """The person has as many open exports as one person may have."""


def request_export(
    user: User, workspace: Workspace, wish: Wish, *, now: datetime, limits: Limits
) -> tuple[Exporter, list[Wake]]:
    """Open an export for `user`; the same wish, while it is open, gives the same export and no wake-up.

    Raises:
        WishError: if a project is not one of the person's, or none is left, or the time zone is unknown, or a
            span of days ends before it begins.
        TooManyError: if `limits.exports_open` are open already.
    """
    _refuse_nonsense(wish)
    projects = _projects(user, workspace, wish)
    name = wish.name(user.id, workspace.id, projects)
    with transaction.atomic(durable=True):
        # Requests of one person take turns, so that two at the same moment see each other.
        User.objects.select_for_update(no_key=True).get(id=user.id)
        open_runs = ExportRun.objects.filter(export__initiated_by=user, status__in=OPEN)
        if same := open_runs.filter(wish=name).select_related("export").first():
            return same.export, []
        if open_runs.count() >= limits.exports_open:
            raise TooManyError(f"{limits.exports_open} of your exports are not finished yet.")
        export = Exporter.objects.create(
            workspace=workspace,
            project=projects,
            provider=wish.provider,
            filters=wish.filters.to_json(),
            initiated_by=user,
            created_by=user,
            created_at=now,
        )
        run = ExportRun.objects.create(
            export=export,
            wish=name,
            multiple=wish.multiple,
            time_zone=wish.time_zone,
            due_at=now,
            enqueued_at=now,
        )
    return export, [Wake(export.id, run.dispatch)]


def _refuse_nonsense(wish: Wish) -> None:
    if wish.time_zone not in known_zones():
        raise WishError("time_zone", f"There is no time zone {wish.time_zone}.")
    for name, span in wish.filters.dates.items():
        if span.backwards:
            raise WishError("filters", f"Dates: {name} must not end before it begins.")


def _projects(user: User, workspace: Workspace, wish: Wish) -> list[UUID]:
    mine = scope_of(user.id, workspace.id).projects
    usable = set(Project.objects.filter(id__in=mine, archived_at=None).values_list("id", flat=True))
    wanted = usable if wish.projects is None else wish.projects
    if foreign := wanted - usable:
        raise WishError("projects", f"Not among your projects: {', '.join(sorted(map(str, foreign)))}.")
    if not wanted:
        raise WishError("projects", "There is no project to export.")
    return sorted(wanted)
