"""Loads what explain tells about one person and one issue; the number of queries is constant."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Max, Min, Q
from django.db.models.functions import Greatest

from project.models import (
    DigestKind,
    DigestStatus,
    EmailDigest,
    EmailDigestLine,
    EmailNotificationLog,
    Entity,
    Exporter,
    Issue,
    IssueActivity,
    IssueMute,
    MailBreaker,
    Notification,
    RequeueAudit,
    SuppressedAddress,
    User,
    UserNotificationPreference,
)
from project.models.digest import ENDED
from project.services.digests.context import activity_id, load, wish_of
from project.services.digests.explain_standing import Standing, standing
from project.services.digests.explain_stops import stops_about
from project.services.digests.windows import Gathered, Wish


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Rows as they stand `now`, by the id of their activity; a log row that names none goes by its own id.

    Attributes:
        standing: None if the issue was removed for good, or if it is about an export.
        export: the export that it is about instead.
        gathered: the lines that wait with one of these, if one of these waits.
        wish: when the person wants mail.
        muted: that the person wants no mail about the issue.
        preference: what decides now about the person's mails of this issue, if something was left out.
        stops: the scopes of what the person stopped by the link in a mail.
        refusals: of the person's address, the newest first.
        stop: the breaker that stops all mail, if one does.
    """

    now: datetime
    person: User
    standing: Standing | None
    export: Exporter | None
    activities: dict[UUID, IssueActivity]
    notifications: dict[UUID, Notification]
    logs: dict[UUID, EmailNotificationLog]
    gathered: Gathered | None
    wish: Wish
    muted: IssueMute | None
    preference: UserNotificationPreference | None
    stops: frozenset[str]
    refusals: list[SuppressedAddress]
    stop: MailBreaker | None
    orders: list[RequeueAudit]

    def digests_of(self, keys: Iterable[UUID]) -> list[EmailDigest]:
        """Return the digests that the lines of these activities went into, each once."""
        lines = (getattr(self.logs.get(key), "line", None) for key in keys)
        return list({line.digest_id: line.digest for line in lines if line}.values())


def load_scene(
    person: User,
    issue_id: UUID | None,
    activity_ids: Iterable[UUID],
    *,
    log_ids: Iterable[UUID] = (),
    now: datetime,
) -> Scene:
    """Load what is to be told about these activities and log rows at `now`."""
    issue = _issue(issue_id) if issue_id else None
    logs = _logs(person, issue_id, activity_ids, log_ids)
    keys = [*activity_ids, *logs]
    told = Notification.all_objects.filter(
        entity_identifier=issue_id, receiver=person, data__issue_activity__id__in=list(map(str, keys))
    )
    lines = [log.line for log in logs.values() if hasattr(log, "line")]
    return Scene(
        now=now,
        person=person,
        standing=standing(person, issue) if issue else None,
        export=_export(issue_id) if issue_id and not issue else None,
        activities=IssueActivity.all_objects.select_related("actor").in_bulk(keys),
        notifications={activity_id(row.data) or row.id: row for row in told},
        logs=logs,
        gathered=_gathered(person, issue_id, now)
        if any(log.processed_at is None for log in logs.values())
        else None,
        wish=wish_of(person),
        muted=IssueMute.objects.filter(user=person, issue=issue).first() if issue else None,
        preference=_preference(lines, issue_id),
        stops=stops_about(person, issue),
        refusals=_refusals(person, lines),
        stop=MailBreaker.objects.filter(opened_at__isnull=False).first(),
        orders=list(RequeueAudit.about({line.digest_id for line in lines})),
    )


def _export(export_id: UUID) -> Exporter | None:
    with_run = Exporter.all_objects.select_related("run", "workspace").filter(run__isnull=False)
    return with_run.filter(id=export_id).first()


def _issue(issue_id: UUID) -> Issue | None:
    return Issue.all_objects.select_related("project", "workspace", "state").filter(id=issue_id).first()


def _logs(
    person: User, issue_id: UUID | None, activity_ids: Iterable[UUID], log_ids: Iterable[UUID]
) -> dict[UUID, EmailNotificationLog]:
    of_these = Q(entity_identifier=issue_id, data__issue_activity__id__in=list(map(str, activity_ids)))
    rows = (
        EmailNotificationLog.all_objects.filter(of_these | Q(id__in=list(log_ids)), receiver=person)
        .select_related("line__digest")
        .defer("line__digest__content")
    )
    return {activity_id(log.data) or log.id: log for log in rows.order_by("created_at")}


def _gathered(person: User, issue_id: UUID | None, now: datetime) -> Gathered | None:
    waiting = EmailNotificationLog.objects.filter(
        receiver=person, entity_identifier=issue_id, processed_at__isnull=True
    )
    urgent = Q(data__issue_activity__field="mention") | Q(entity_name=Entity.EXPORT)
    mention = Min("created_at", filter=urgent)
    found = waiting.aggregate(first=Min("created_at"), last=Max("created_at"), mention=mention)
    return Gathered(**found, mailed_at=_mailed_at(person, issue_id, now)) if found["first"] else None


def _mailed_at(person: User, issue_id: UUID | None, now: datetime) -> datetime | None:
    """Return when the issue was last in a mail to the person, mentions apart; now if it is on its way."""
    about = Q(issue=issue_id) | Q(kind=DigestKind.ROLLUP, lines__log__entity_identifier=issue_id)
    mails = EmailDigest.objects.filter(about, receiver=person, urgent=False)
    if mails.exclude(status__in=[*ENDED, DigestStatus.FENCED]).exists():
        return now
    attempted = Max(Greatest("created_at", "due_at", "started_at"))
    latest: datetime | None = mails.exclude(status=DigestStatus.SUPPRESSED).aggregate(at=attempted)["at"]
    return latest


def _preference(lines: Iterable[EmailDigestLine], issue_id: UUID | None) -> UserNotificationPreference | None:
    deciding = next((line for line in lines if line.suppressed or line.digest.reason), None)
    matters = load(deciding.digest_id).matters if deciding else []
    return next((matter.preference for matter in matters if matter.issue.id == issue_id), None)


def _refusals(person: User, lines: Iterable[EmailDigestLine]) -> list[SuppressedAddress]:
    addresses = {person.email, *(line.digest.to_address.lower() for line in lines)} - {None, ""}
    return list(SuppressedAddress.objects.filter(address__in=addresses).order_by("-since"))
