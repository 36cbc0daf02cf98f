"""Loads all that decides about a digest, and all that it tells, in a constant number of queries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from project.models import (
    EmailDigest,
    EmailDigestLine,
    IssueActivity,
    IssueComment,
    MailSchedule,
    Notification,
    ProjectMember,
    State,
    StateGroup,
    User,
)
from project.models.mention_markup import mentioned_ids
from project.services.digests.export_note import ExportNote, export_note
from project.services.digests.matter import Logs, Matter, matters_of
from project.services.digests.windows import Wish
from project.services.digests.wording import zone_named


@dataclass(frozen=True, kw_only=True)
class Context:
    """A digest as the tables stand now, not as they stood when its lines were written.

    Attributes:
        wish: when the receiver wants mail.
        logs: the lines, by activity.
        noted: what the lines say so far about why they are left out, by log row.
        matters: the issues; those that were removed for good are not among them.
        comments: those named by the activities, deleted ones too.
        completed_states: ids of states that mean "done".
        read: ids of the activities that the receiver has read in the inbox.
        people: everybody who may be named.
        export: what is told, if it is not about an issue but about an export.
    """

    digest: EmailDigest
    receiver: User
    wish: Wish
    logs: Logs
    noted: dict[UUID, str]
    matters: list[Matter]
    comments: dict[UUID, IssueComment]
    completed_states: frozenset[UUID]
    read: frozenset[UUID]
    people: dict[UUID, User]
    export: ExportNote | None


def load(digest_id: UUID) -> Context:
    """Load the context of a digest.

    Raises:
        EmailDigest.DoesNotExist: if there is no such digest.
    """
    rows = EmailDigest.objects.select_related("receiver__mail_schedule", "workspace")
    digest = rows.get(id=digest_id)
    lines = list(EmailDigestLine.objects.filter(digest=digest).select_related("log"))
    logs = {activity_id(line.log.data) or line.log_id: line.log for line in lines}
    matters = matters_of(digest.receiver_id, logs)
    activities = [activity for matter in matters for activity in matter.activities]
    comments = _comments(activities)
    return Context(
        digest=_with_its_issue(digest, matters),
        receiver=digest.receiver,
        wish=wish_of(digest.receiver),
        logs=logs,
        noted={line.log_id: line.suppressed for line in lines if line.suppressed},
        matters=matters,
        comments=comments,
        completed_states=_completed(activities),
        read=_read(digest.receiver_id, matters),
        people=_people(matters, activities, comments.values()),
        export=export_note(logs.values()),
    )


def activity_id(data: object) -> UUID | None:
    """Return the activity that a log row's or notification's ``data`` names; None if it names none."""
    try:
        return UUID(data["issue_activity"]["id"])  # type: ignore[index]
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def wish_of(person: User) -> Wish:
    """Return when somebody wants mail; `person` may come with their schedule."""
    return Wish(getattr(person, "mail_schedule", None) or MailSchedule(), zone_named(person.user_timezone))


def _with_its_issue(digest: EmailDigest, matters: Sequence[Matter]) -> EmailDigest:
    """Give the digest of one issue that issue, which is loaded already."""
    for matter in matters:
        if matter.issue.id == digest.issue_id:
            digest.issue = matter.issue
    return digest


def _comments(activities: Iterable[IssueActivity]) -> dict[UUID, IssueComment]:
    ids = {a.issue_comment_id or a.new_identifier for a in activities if a.field == "comment"}
    return IssueComment.all_objects.in_bulk([i for i in ids if i])


def _completed(activities: Iterable[IssueActivity]) -> frozenset[UUID]:
    ids = {a.new_identifier for a in activities if a.field == "state" and a.new_identifier}
    done = State.all_objects.filter(id__in=ids, group=StateGroup.COMPLETED)
    return frozenset(done.values_list("id", flat=True)) if ids else frozenset()


def _read(receiver_id: UUID, matters: Sequence[Matter]) -> frozenset[UUID]:
    seen = Notification.all_objects.filter(
        receiver_id=receiver_id,
        entity_identifier__in=[matter.issue.id for matter in matters],
        read_at__isnull=False,
    )
    ids = (activity_id(data) for data in seen.values_list("data", flat=True))
    return frozenset(i for i in ids if i)


def _people(
    matters: Sequence[Matter], activities: Iterable[IssueActivity], comments: Iterable[IssueComment]
) -> dict[UUID, User]:
    """Who acted, whatever became of them, and who is mentioned, if they are members."""
    acted = {a.actor_id for a in activities if a.actor_id}
    texts = [m.issue.description_html for m in matters] + [comment.comment_html for comment in comments]
    named = {user for text in texts for user in mentioned_ids(text)}
    projects = {matter.issue.project_id for matter in matters}
    members = ProjectMember.objects.filter(project_id__in=projects, is_active=True).values("member_id")
    wanted = Q(id__in=acted) | Q(id__in=named, pk__in=members) if named else Q(id__in=acted)
    return {user.id: user for user in User.objects.filter(wanted)}
