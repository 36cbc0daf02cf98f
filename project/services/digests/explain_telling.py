"""How one activity reaches one person: the change, the inbox, the line to mail."""

from uuid import UUID

from django.utils.text import Truncator

from project.limits import Limits
from project.models import MOMENT, EmailNotificationLog, IssueActivity, Notification
from project.services.digests.explain_reasons import why_left_out
from project.services.digests.explain_scene import Scene, Window
from project.services.digests.explain_story import Step

_SHORT = 60  # characters of a value

#: What a person had to do with the issue, as a notification's `sender` names it.
_AS = {
    "mentioned": "they are mentioned in it",
    "created": "they created the issue",
    "assigned": "they are assigned to the issue",
    "subscribed": "they follow the issue",
}


def telling_steps(scene: Scene, key: UUID, limits: Limits) -> list[Step]:
    """Tell the way of the activity `key`, up to the digest that its line went into."""
    activity, notification = scene.activities.get(key), scene.notifications.get(key)
    steps = [change_step(activity)]
    if notification:
        steps += _inbox_steps(notification)
    log = scene.logs.get(key)
    steps.append(_line_step(log, scene, limits) if log else _no_line_step(activity, scene))
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


def _inbox_steps(notification: Notification) -> list[Step]:
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
    if scene.window is None:
        return Step("line", log.created_at, "waits to be mailed")
    return _waiting_step(scene.window, limits)


def _waiting_step(window: Window, limits: Limits) -> Step:
    """The first of the three moments at which the person's lines about the issue are due."""
    moments = [
        (window.last + limits.window_idle, f"nothing was added for {limits.window_idle}"),
        (window.first + limits.window_cap, f"the oldest line is {limits.window_cap} old"),
    ]
    if window.mention:
        moments.append((window.mention + limits.window_mention, f"a mention is {limits.window_mention} old"))
    due, because = min(moments)
    return Step("line", due, "waits to be gathered into a mail until then", f"then {because}")


def _no_line_step(activity: IssueActivity | None, scene: Scene) -> Step:
    creator = scene.standing and scene.standing.issue.created_by_id
    nobody = activity and activity.actor_id is None and creator is None
    because = "nobody is left who caused it" if nobody else "it is not on record (any more)"
    return Step("line", None, "there is no line to mail", because)
