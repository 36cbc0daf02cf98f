"""Why did, or did not, this person get this mail? The whole way, step by step.

Everything is told from the rows as they stand now. What was looked at when a mail was made is stored with the
digest and its lines; since when it is so, and what would have to be otherwise, is read from the rows that
decide it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Protocol
from uuid import UUID

from project.limits import Limits
from project.models import (
    EmailDigest,
    EmailNotificationLog,
    Issue,
    IssueActivity,
    IssueEvent,
    NotFoundError,
    Notification,
    RequeueAudit,
    Step,
    Story,
    User,
)
from project.services.digests.context import activity_id
from project.services.digests.explain_digest import digest_steps
from project.services.digests.explain_event import absence_step, audience_steps, event_steps, in_words
from project.services.digests.explain_lookup import issue_key
from project.services.digests.explain_scene import Scene, load_scene
from project.services.digests.explain_telling import change_step, export_step, inbox_steps, telling_steps

EVENTS = 20  # the newest ones of an issue are told
ISSUES = 20  # the first ones of a mail are told


class Question(Protocol):
    """Tells the stories of what has this id."""

    def __call__(self, row_id: UUID, /, *, now: datetime, limits: Limits) -> list[Story]:
        """Tell how it stands at `now`; raise `NotFoundError` if nothing has it."""


def explain_person(person: User, issue: Issue, *, now: datetime, limits: Limits) -> list[Story]:
    """Tell one story for each of the newest events of the issue: whether and why it reached the person."""
    newest = issue.events.select_related("actor").order_by("-occurred_at", "id")[:EVENTS]
    events = list(newest)[::-1]
    scene = load_scene(person, issue.id, [id_ for event in events for id_ in event.activity_ids], now=now)
    orders = list(RequeueAudit.about(event.id for event in events))
    return [_story(event, event.activity_ids, scene, orders, limits) for event in events]


def explain_log(log_id: UUID, *, now: datetime, limits: Limits) -> list[Story]:
    """Tell the story of one line to mail.

    Raises:
        NotFoundError: if there is none with this id.
    """
    log = EmailNotificationLog.all_objects.select_related("receiver").filter(id=log_id).first()
    if log is None:
        raise NotFoundError(f"{log_id}: no such log row.")
    key = activity_id(log.data) or log.id
    scene = load_scene(log.receiver, log.entity_identifier, [key], log_ids=[log.id], now=now)
    return [_of_activity(key, scene, limits)]


def explain_notification(notification_id: UUID, *, now: datetime, limits: Limits) -> list[Story]:
    """Tell the story of one row of an inbox.

    Raises:
        NotFoundError: if there is none with this id.
    """
    row = Notification.all_objects.select_related("receiver").filter(id=notification_id).first()
    if row is None:
        raise NotFoundError(f"{notification_id}: no such notification.")
    key = activity_id(row.data) or row.id
    scene = load_scene(row.receiver, row.entity_identifier, [key], now=now)
    if scene.export:
        steps = [export_step(scene.export), *inbox_steps(row)]
        return [Story(_title(scene, "a notification"), steps)]
    return [_of_activity(key, scene, limits)]


def explain_digest(digest_id: UUID, *, now: datetime, limits: Limits) -> list[Story]:
    """Tell the story of one mail: each of its lines, issue by issue, then what became of it.

    Raises:
        NotFoundError: if there is none with this id.
    """
    digest = EmailDigest.objects.defer("content").select_related("receiver").filter(id=digest_id).first()
    if digest is None:
        raise NotFoundError(f"{digest_id}: no such digest.")
    by_issue: dict[UUID | None, list[UUID]] = defaultdict(list)
    for line in digest.lines.select_related("log").order_by("log__created_at"):
        by_issue[line.log.entity_identifier].append(line.log_id)
    first = list(by_issue.items())[:ISSUES] or [(digest.issue_id, [])]
    scenes = [
        load_scene(digest.receiver, issue_id, [], log_ids=log_ids, now=now) for issue_id, log_ids in first
    ]
    stories = [Story(_title(scene, "a mail"), list(_told(scene, limits))) for scene in scenes]
    stories[-1].steps.extend(digest_steps(digest, scenes[-1], limits))
    return stories


def explain_event(event_id: UUID, *, now: datetime, limits: Limits) -> list[Story]:
    """Tell the story of one event: what changed, who was told, and how each of their mails stands.

    Raises:
        NotFoundError: if there is none with this id.
    """
    event = (
        IssueEvent.objects.select_related("actor", "issue__project", "issue__state")
        .filter(id=event_id)
        .first()
    )
    if event is None:
        raise NotFoundError(f"{event_id}: no such event.")
    activities = IssueActivity.all_objects.select_related("actor").filter(id__in=event.activity_ids)
    changes = [change_step(activity) for activity in activities.order_by("created_at")]
    steps = [*event_steps(event, RequeueAudit.about([event.id])), *changes, *audience_steps(event)]
    return [Story(f"{issue_key(event.issue)}: an event", steps)]


def _told(scene: Scene, limits: Limits) -> Iterator[Step]:
    for key in scene.logs:
        yield from telling_steps(scene, key, limits)


def _of_activity(key: UUID, scene: Scene, limits: Limits) -> Story:
    holding = IssueEvent.objects.select_related("actor").filter(activity_ids__contains=[key])
    issue_id = scene.standing.issue.id if scene.standing else None
    event = holding.filter(issue=issue_id).order_by("occurred_at").first()
    orders = list(RequeueAudit.about([event.id])) if event else []
    return _story(event, [key], scene, orders, limits)


def _story(
    event: IssueEvent | None,
    keys: Iterable[UUID],
    scene: Scene,
    orders: Iterable[RequeueAudit],
    limits: Limits,
) -> Story:
    steps = list(event_steps(event, orders)) if event else []
    told = [key for key in keys if key in scene.notifications or key in scene.logs]
    for key in told:
        steps += telling_steps(scene, key, limits)
    for digest in scene.digests_of(told):
        steps += digest_steps(digest, scene, limits)
    if event and not told:
        activities = [scene.activities[key] for key in keys if key in scene.activities]
        steps += [*map(change_step, activities), absence_step(event, activities, scene)]
    return Story(_title(scene, in_words(event) if event else "a line to mail"), steps)


def _title(scene: Scene, what: str) -> str:
    removed = "an export" if scene.export else "an issue that was removed"
    about = issue_key(scene.standing.issue) if scene.standing else removed
    return f"{about} for {scene.person}: {what}"


#: What can be asked about by an id.
QUESTIONS: Mapping[str, Question] = {
    "log": explain_log,
    "digest": explain_digest,
    "notification": explain_notification,
    "event": explain_event,
}
