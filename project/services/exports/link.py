"""Gives out a link to an archive: to its initiator only, for one click, while they may see what is in it."""

from datetime import datetime, timedelta

from project.limits import Limits
from project.models import Exporter, ExportStatus, User
from project.services.exports.names import archive_name
from project.services.exports.scope import Scope, scope_of
from project.services.exports.storage import Storage


class NoLinkError(Exception):
    """There is no link; the text says why, in words for who asked."""


class ForbiddenError(NoLinkError):
    """The person may not, or may no longer, have what is in the archive."""


def link(export: Exporter, user: User, *, storage: Storage, now: datetime, limits: Limits) -> str:
    """Sign a link for `user`, whose access is checked now and not as it was when the archive was made.

    The link itself works for whoever holds it, so it works for `limits.export_link` only.

    Raises:
        ForbiddenError: if the person is not its initiator, or lost a project or a part of its issues since.
        NoLinkError: if there is no archive, or it is not offered any more.
    """
    run = export.run
    if user.id != export.initiated_by_id:
        raise ForbiddenError("This is somebody else's export.")
    if run.status != ExportStatus.COMPLETED or export.deleted_at or not run.snapshot_at:
        raise NoLinkError(f"The export is {run.get_status_display().lower()}: there is nothing to fetch.")
    if now >= offered_until(export, limits):
        raise NoLinkError("The export has expired. Please start a new one.")
    held = Scope(frozenset(run.full_projects), frozenset(run.own_projects))
    if not scope_of(user.id, export.workspace_id).covers(held):
        raise ForbiddenError("You may no longer see everything that is in this export.")
    name = archive_name(export.workspace.slug, run.snapshot_at)
    return storage.link(run.key, file_name=name, works_for=limits.export_link)


def offered_until(export: Exporter, limits: Limits) -> datetime:
    """Return until when links are given out: a while before the archive goes, so that downloads can end."""
    kept_on: timedelta = limits.export_kept - limits.export_offered
    assert export.run.expires_at  # noqa: S101 (a completed run has it: a constraint of the table)
    return export.run.expires_at - kept_on
