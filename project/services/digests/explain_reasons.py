"""Why a mail, or a line of it, was left out on purpose: which check, since when, and what if not."""

from collections.abc import Callable, Mapping
from uuid import UUID

from project.models import MOMENT, MailMode, Scope, SuppressedAddress
from project.services.digests.explain_absence import why_no_account
from project.services.digests.explain_access import why_no_access, why_not_in_workspace
from project.services.digests.explain_scene import Scene
from project.services.digests.explain_standing import membership
from project.services.digests.explain_stops import by_link
from project.services.digests.explain_story import Why, since
from project.services.digests.recheck import Preference, Suppression, wants


def why_left_out(scene: Scene, reason: str, key: UUID | None = None) -> str:
    """Put a stored reason into words; of a line, `key` is its activity. A reason not known here speaks itself."""
    words = WORDS.get(reason)
    return words(scene, key).words("mailed") if words else reason


def _inactive(scene: Scene, key: UUID | None) -> Why:
    otherwise = Why("the account was not active when the mail was made; it is now", "it had been active then")
    return why_no_account(scene.person) or otherwise


def _no_address(scene: Scene, key: UUID | None) -> Why:
    if scene.person.email:
        return Why("there was no address when the mail was made; there is one now", "there had been one then")
    return Why("the account has no address", "it had one")


def _refused(scene: Scene, key: UUID | None) -> Why:
    refusal = next(filter(_held, scene.refusals), None)
    if refusal is None:
        return Why("the address had refused our mail", "it were cleared or changed")
    ends = refusal.cleared_at or refusal.until
    until = f" until {ends:{MOMENT}}" if ends else ""
    return Why(
        f"{refusal.address} refused our mail ({refusal.get_reason_display().lower()}: {refusal.evidence}),"
        f" so it is not mailed{since(refusal.since)}{until}",
        "the address were cleared or changed",
    )


def _held(refusal: SuppressedAddress) -> bool:
    """Refusals that were only counted never held."""
    return refusal.until != refusal.since


def _issue_gone(scene: Scene, key: UUID | None) -> Why:
    return Why("the issue was removed for good")


def _no_access(scene: Scene, key: UUID | None) -> Why:
    if scene.export:
        row = membership(scene.person, scene.export.workspace_id)
        otherwise = Why("was no member when the mail was made; is one now", "that had been so then")
        return why_not_in_workspace(row, scene.export.workspace) or otherwise
    otherwise = Why("could not see the issue when the mail was made; can now", "that had been so then")
    return (why_no_access(scene.standing) if scene.standing else None) or otherwise


def _issue_deleted(scene: Scene, key: UUID | None) -> Why:
    deleted_at = scene.standing.issue.deleted_at if scene.standing else None
    return Why(f"the issue is deleted{since(deleted_at)}", "it were there")


def _export_gone(scene: Scene, key: UUID | None) -> Why:
    return Why("deleted the export", "they had kept it")


def _export_goes_on(scene: Scene, key: UUID | None) -> Why:
    return Why("an operator let the export run again, so its next end is told", "it had stayed as it was")


def _exports_off(scene: Scene, key: UUID | None) -> Why:
    if Scope.EXPORTS not in scene.stops:
        return Why("wanted no mail about exports when the mail was made", "that had been otherwise then")
    return Why(f"wants no mail about exports{by_link(scene.stops, Scope.EXPORTS)}", "they wanted it")


def _mode_off(scene: Scene, key: UUID | None) -> Why:
    schedule = scene.wish.schedule
    if schedule.mode != MailMode.OFF:
        return Why("wanted no mail at all when the mail was made", "that had been otherwise then")
    link = by_link(scene.stops, Scope.ALL)
    return Why(f"wants no mail at all{since(schedule.updated_at, at_least=True)}{link}", "they wanted mail")


def _too_old(scene: Scene, key: UUID | None) -> Why:
    return Why("had waited for too long before it was gathered", "it had been gathered in time")


def _muted(scene: Scene, key: UUID | None) -> Why:
    if scene.muted is None:
        return Why("had muted the issue when the mail was made", "the issue had not been muted then")
    link = by_link(scene.stops, Scope.ISSUE)
    return Why(f"muted the issue{since(scene.muted.created_at)}{link}", "the issue were not muted")


def _read(scene: Scene, key: UUID | None) -> Why:
    rows = [scene.notifications.get(key)] if key else scene.notifications.values()
    first = min((row.read_at for row in rows if row and row.read_at), default=None)
    moment = f" at {first:{MOMENT}}" if first else ""
    return Why(f"read in the inbox{moment}", "it had been unread when the mail was made")


def _nothing_left(scene: Scene, key: UUID | None) -> Why:
    return Why(
        "nothing was left to tell: what changed went back, comments were deleted, or each line was left out",
        "something were",
    )


def _preference(flag: Preference) -> Callable[[Scene, UUID | None], Why]:
    def words(scene: Scene, key: UUID | None) -> Why:
        row = scene.preference
        if row is None or wants(row, flag):
            return Why(
                f"preference `{flag}` was off when the mail was made; it is on now", "it had been on then"
            )
        scope = "of the project " if row.project_id else "of the workspace " if row.workspace_id else ""
        link = by_link(scene.stops, Scope.PROJECT if row.project_id else Scope.WORKSPACE)
        return Why(
            f"preference `{flag}` {scope}is off{since(row.updated_at, at_least=True)}{link}",
            "it were on when the mail is made",
        )

    return words


WORDS: Mapping[str, Callable[[Scene, UUID | None], Why]] = {
    Suppression.RECEIVER_INACTIVE: _inactive,
    Suppression.NO_ADDRESS: _no_address,
    Suppression.SUPPRESSED_ADDRESS: _refused,
    Suppression.ISSUE_GONE: _issue_gone,
    Suppression.NO_ACCESS: _no_access,
    Suppression.ISSUE_DELETED: _issue_deleted,
    Suppression.EXPORT_GONE: _export_gone,
    Suppression.EXPORT_GOES_ON: _export_goes_on,
    Suppression.EXPORTS_OFF: _exports_off,
    Suppression.MODE_OFF: _mode_off,
    Suppression.TOO_OLD: _too_old,
    Suppression.MUTED: _muted,
    Suppression.READ: _read,
    Suppression.NOTHING_LEFT: _nothing_left,
    **{flag.off: _preference(flag) for flag in Preference},
}
