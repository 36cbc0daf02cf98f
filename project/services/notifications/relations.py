"""Relates issues to each other. Both sides hear of it, each in its own words: blocked by, blocking."""

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from project.models import MIRRORED, Issue, IssueActivity, IssueRelation, RelationType, User, Wake
from project.services.notifications.columns import key_of
from project.services.notifications.record import EventKind, Happening, locked_all, record_all, touch
from project.services.notifications.references import RefusedError, unknown

#: What an issue can be to another, in Plane's words, and what the other then is to it.
OPPOSITE: dict[str, str] = {
    **{str(stored): mirrored for stored, mirrored in MIRRORED.items()},
    **{mirrored: str(stored) for stored, mirrored in MIRRORED.items()},
}


@transaction.atomic(durable=True)
def relate(
    issue_id: UUID, relation: str, other_ids: Collection[UUID], *, actor: User, now: datetime
) -> list[Wake]:
    """Bring an issue into a relation (a key of `OPPOSITE`) to others of its project.

    What is so related already leaves no trace. A constant number of queries.

    Raises:
        Issue.DoesNotExist: if there is no such issue any more.
        RefusedError: if another is not of the project, is the issue itself, or is related to it otherwise.
    """
    issue, others = _locked(issue_id, other_ids, "issues")
    standing = relations_of(issue, others)
    for other in others:
        if standing.get(other.id, relation) != relation:
            words = standing[other.id].replace("_", " ")
            raise RefusedError("issues", f"{key_of(other).text} is related to this issue otherwise: {words}.")
    new = [other for other in others if other.id not in standing]
    IssueRelation.objects.bulk_create([_row(issue, relation, other, actor, now) for other in new])
    return _tell(EventKind.RELATION_CREATED, issue, dict.fromkeys(new, relation), actor=actor, now=now)


@transaction.atomic(durable=True)
def unrelate(issue_id: UUID, other_id: UUID, *, actor: User, now: datetime) -> list[Wake]:
    """End the relation of two issues, whatever it was.

    Raises:
        Issue.DoesNotExist: if there is no such issue any more.
        RefusedError: if the other is not of the project, or not related to it.
    """
    issue, others = _locked(issue_id, [other_id], "related_issue")
    relation = relations_of(issue, others).get(other_id)
    if relation is None:
        raise RefusedError("related_issue", "These issues are not related.")
    _between(issue, others).update(deleted_at=now, updated_at=now, updated_by=actor)
    return _tell(EventKind.RELATION_DELETED, issue, dict.fromkeys(others, relation), actor=actor, now=now)


def relations_of(issue: Issue, others: Iterable[Issue] | None = None) -> dict[UUID, str]:
    """Return what `issue` is to each live issue that it is related to, or to those of `others`; one query."""
    rows = _between(issue, others).filter(issue__deleted_at=None, related_issue__deleted_at=None)
    pairs = rows.order_by("created_at", "id").values_list("issue_id", "related_issue_id", "relation_type")
    return {
        related if issue_id == issue.id else issue_id: kind if issue_id == issue.id else OPPOSITE[kind]
        for issue_id, related, kind in pairs
    }


def _locked(issue_id: UUID, other_ids: Collection[UUID], field: str) -> tuple[Issue, list[Issue]]:
    found = {issue.id: issue for issue in locked_all([issue_id, *other_ids])}
    issue = found.get(issue_id)
    if issue is None:
        raise Issue.DoesNotExist
    if issue_id in other_ids:
        raise RefusedError(field, "An issue cannot be related to itself.")
    own = {id_ for id_, other in found.items() if other.project_id == issue.project_id}
    if missing := [id_ for id_ in other_ids if id_ not in own]:
        raise unknown(field, missing)
    return issue, [found[id_] for id_ in dict.fromkeys(other_ids)]


def _between(issue: Issue, others: Iterable[Issue] | None) -> QuerySet[IssueRelation]:
    if others is None:
        return IssueRelation.objects.filter(Q(issue=issue) | Q(related_issue=issue))
    others = list(others)
    return IssueRelation.objects.filter(
        Q(issue=issue, related_issue__in=others) | Q(issue__in=others, related_issue=issue)
    )


def _row(issue: Issue, relation: str, other: Issue, actor: User, now: datetime) -> IssueRelation:
    stored = relation in RelationType.values
    return IssueRelation(
        issue=issue if stored else other,
        related_issue=other if stored else issue,
        relation_type=relation if stored else OPPOSITE[relation],
        project_id=issue.project_id,
        workspace_id=issue.workspace_id,
        created_at=now,
        created_by=actor,
        updated_by=actor,
    )


def _tell(
    kind: EventKind, issue: Issue, relations: dict[Issue, str], *, actor: User, now: datetime
) -> list[Wake]:
    """Tell both sides what `issue` was made to be, or is no longer, to each of the others."""
    if not relations:
        return []
    touch([issue, *relations], now=now)
    told = [
        Happening(issue, [_activity(kind, relation, other) for other, relation in relations.items()]),
        *(
            Happening(other, [_activity(kind, OPPOSITE[relation], issue)])
            for other, relation in relations.items()
        ),
    ]
    return record_all(kind, told, actor=actor, now=now)


def _activity(kind: EventKind, relation: str, other: Issue) -> IssueActivity:
    """Tell of the other issue; as in Plane its id is the old identifier, whether it came or went."""
    key, came = key_of(other), kind is EventKind.RELATION_CREATED
    return IssueActivity(
        verb="updated" if came else "deleted",
        field=relation,
        comment=f"added {relation} relation" if came else f"deleted {relation} relation",
        old_value="" if came else key.text,
        new_value=key.text if came else "",
        old_identifier=key.id,
    )
