"""The event itself, its fan-out, and where a person stood when the audience was made."""

from collections.abc import Iterable, Iterator, Sequence

from django.db.models import Q

from project.models import (
    MACHINE_FIELDS,
    EmailNotificationLog,
    EventStatus,
    IssueActivity,
    IssueEvent,
    Notification,
    RequeueAudit,
    Step,
)
from project.services.digests.explain_absence import Part, why_absent, why_nobody, why_not_then
from project.services.digests.explain_digest import outcome_words
from project.services.digests.explain_scene import Scene
from project.services.digests.explain_story import Why


def event_steps(event: IssueEvent, orders: Iterable[RequeueAudit]) -> Iterator[Step]:
    """Tell what happened and how far the fan-out came."""
    who = f" by {event.actor}" if event.actor else ""
    yield Step("event", event.occurred_at, f"{in_words(event)}{who} ({event.id})")
    for audit in orders:
        if outcome := audit.rows.get(str(event.id)):
            yield Step("order", audit.at, outcome, f"ordered by {audit.by}: {audit.why}")
    yield _fan_out(event)


def in_words(event: IssueEvent) -> str:
    """Tell its kind: `issue.activity.updated` is "issue updated"."""
    return event.kind.replace(".activity.", " ")


def absence_step(event: IssueEvent, activities: Sequence[IssueActivity], scene: Scene) -> Step:
    """Tell why the person got neither a notification nor a line of this event."""
    if scene.standing is None or event.fanned_out_at is None:
        return Step("not told", None, "nobody is told yet")
    part = part_in(event, activities, scene)
    why = (
        _why_nobody_ever(activities)
        or why_absent(scene.standing, part)
        or why_not_then(scene.standing, part, event.fanned_out_at)
    )
    return Step("not told", event.fanned_out_at, "neither in the inbox nor by mail", why.words("told"))


def _why_nobody_ever(activities: Sequence[IssueActivity]) -> Why | None:
    changed = {activity.field for activity in activities}
    machines = changed and changed <= MACHINE_FIELDS
    return Why("only what machines keep has changed, and that is told to nobody") if machines else None


def audience_steps(event: IssueEvent) -> Iterator[Step]:
    """Tell who has a notification or a line of this event, and how their mails stand; or why nobody has."""
    about = Q(
        entity_identifier=event.issue_id,
        data__issue_activity__id__in=list(map(str, event.activity_ids)),
    )
    told = Notification.all_objects.filter(about).select_related("receiver")
    logs = EmailNotificationLog.all_objects.filter(about).select_related("receiver", "line__digest")
    rows: list[Notification | EmailNotificationLog] = [*told, *logs.defer("line__digest__content")]
    for person in sorted({row.receiver for row in rows}, key=lambda user: user.username):
        own = [row for row in rows if row.receiver == person]
        mails = {_mail(row) for row in own if isinstance(row, EmailNotificationLog)} or {"no line to mail"}
        yield Step(
            "told", min(row.created_at for row in own), str(person), f"mail: {', '.join(sorted(mails))}"
        )
    if event.fanned_out_at and not rows and (why := why_nobody(event.issue)):
        yield Step("not told", event.fanned_out_at, "nobody is told", why.words("told"))


def _mail(log: EmailNotificationLog) -> str:
    return outcome_words(log.line.digest) if hasattr(log, "line") else "waits for its window"


def part_in(event: IssueEvent, activities: Iterable[IssueActivity], scene: Scene) -> Part:
    """Tell a person's part in an event."""
    person = scene.person.id
    return Part(
        acted=event.actor_id == person,
        assigned=any(a.field == "assignees" and a.new_identifier == person for a in activities),
        mentioned=person in event.mentioned_ids,
    )


def _fan_out(event: IssueEvent) -> Step:
    if event.status == EventStatus.FANNED_OUT:
        return Step("fan-out", event.fanned_out_at, "the audience was made, and told")
    if event.status == EventStatus.PENDING:
        last = f"; last error: {event.reason}" if event.reason else ""
        because = f"attempts so far: {event.attempts}{last}"
        return Step("fan-out", event.enqueued_at, "is on the queue since then, nobody is told yet", because)
    again = f"`manage.py events requeue {event.id}` tries again"
    return Step("fan-out", None, f"given up, nobody is told; {again}", event.reason)
