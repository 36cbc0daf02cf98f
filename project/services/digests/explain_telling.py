"""How one activity reaches one person: the change, the inbox, the line to mail."""

from uuid import UUID

from django.utils.text import Truncator

from project.limits import Limits
from project.models import (
    MOMENT,
    EmailNotificationLog,
    Exporter,
    IssueActivity,
    MailMode,
    Notification,
    Step,
)
from project.services.digests.explain_reasons import why_left_out
from project.services.digests.explain_scene import Scene
from project.services.digests.explain_story import stopped_words
from project.services.digests.recheck import Suppression
from project.services.digests.windows import Gathered, due

_SHORT = 60  # characters of a value

#: What a person had to do with the issue or export, as a notification's `sender` names it.
_AS = {
    "mentioned": "they are mentioned in it",
    "created": "they created the issue",
    "assigned": "they are assigned to the issue",
    "subscribed": "they follow the issue",
    "completed": "they asked for the export",
    "failed": "they asked for the export",
}

_NO_LINE = Step("line", None, "there is no line to mail", "it is not on record (any more)")


def telling_steps(scene: Scene, key: UUID, limits: Limits) -> list[Step]:
    """Tell the way of the activity `key`, up to the digest that its line went into."""
    activity, notification = scene.activities.get(key), scene.notifications.get(key)
    steps = [export_step(scene.export) if scene.export else change_step(activity)]
    if notification:
        steps += inbox_steps(notification)
    log = scene.logs.get(key)
    steps.append(_line_step(log, scene, limits) if log else _NO_LINE)
    if log and hasattr(log, "line") and log.line.suppressed:
        looked = log.line.digest.ended_at or log.line.digest.started_at
        why = why_left_out(scene, log.line.suppressed, key)
        steps.append(Step("left out", looked, "the mail is made without this line", why))
    return steps


def change_step(activity: IssueActivity | None) -> Step:
    """Tell what changed; not the texts, which belong to those who may see the issue."""
    if activity is None:
        return Step("change", None, "what changed is not on record any more")
    by = f" by {activity.actor}" if activity.actor else ""
    return Step("change", activity.created_at, f"{_change(activity)}{by}")


def _change(activity: IssueActivity) -> str:
    if activity.field in {None, "comment", "description"}:
        return f"{activity.field or 'issue'} {activity.verb}"
    old, new = (Truncator(value or "-").chars(_SHORT) for value in (activity.old_value, activity.new_value))
    return f"{activity.field}: {old} → {new}"


def export_step(export: Exporter) -> Step:
    """Tell that it is about an export, which has a story of its own."""
    ended = export.run.ended_at
    what = "an export ended" if ended else "an export that was started anew"
    return Step("export", ended, what, f"`manage.py explain export {export.id}` tells its story")


def inbox_steps(notification: Notification) -> list[Step]:
    """Tell since when it is in the inbox, and when it was read."""
    because = _AS.get(notification.sender.rpartition(":")[2], notification.sender)
    steps = [Step("inbox", notification.created_at, "is in the inbox", because)]
    if notification.read_at:
        steps.append(Step("read", notification.read_at, "read in the inbox"))
    return steps


def _line_step(log: EmailNotificationLog, scene: Scene, limits: Limits) -> Step:
    if log.deleted_at:
        return Step("line", log.deleted_at, "will not be mailed", "the line was deleted")
    if log.processed_at:
        return Step(
            "line", log.created_at, "is to be mailed", f"gathered into a mail at {log.processed_at:{MOMENT}}"
        )
    if scene.gathered is None:
        return Step("line", log.created_at, "waits to be mailed")
    return _waiting_step(scene.gathered, scene, limits)


def _waiting_step(gathered: Gathered, scene: Scene, limits: Limits) -> Step:
    if scene.stop:
        return Step("line", gathered.first, "waits to be mailed", stopped_words(scene.stop))
    found = due(gathered, scene.wish, now=scene.now, limits=limits)
    if scene.wish.schedule.mode == MailMode.OFF:
        why = why_left_out(scene, Suppression.MODE_OFF)
        return Step("line", found.at, "is put aside then, and not mailed", why)
    return Step("line", found.at, "waits to be gathered into a mail until then", found.because)
