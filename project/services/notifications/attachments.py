"""Notes which files are attached to an issue. The bytes are in the object store already, or are brought there."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID, uuid4

from django.db import transaction

from project.models import ATTACHMENT, FileAsset, Issue, IssueActivity, User, Wake
from project.services.notifications.columns import Value, changed
from project.services.notifications.record import EventKind, locked, record, touch

FIELD = "attachment"


class File(NamedTuple):
    """A file as its owner describes it: its name, which holds no slash, its size in bytes and its MIME type."""

    name: str
    size: int
    type: str


@transaction.atomic(durable=True)
def attach(issue_id: UUID, file: File, *, actor: User, now: datetime) -> tuple[FileAsset, list[Wake]]:
    """Attach a file to an issue. The object's key is ours to choose, so that nobody can name another's object.

    Raises:
        Issue.DoesNotExist: if there is no such issue any more.
    """
    issue = locked(issue_id)
    asset = FileAsset.objects.create(
        asset=f"{issue.workspace_id}/{uuid4().hex}-{file.name}",
        attributes=file._asdict(),
        size=file.size,
        is_uploaded=True,
        entity_type=ATTACHMENT,
        entity_identifier=str(issue.id),
        issue=issue,
        project_id=issue.project_id,
        workspace_id=issue.workspace_id,
        user=actor,
        created_at=now,
        created_by=actor,
        updated_by=actor,
    )
    added = changed(FIELD, "created an attachment", Value(), Value(asset.asset, asset.id), verb="created")
    return asset, [_record(EventKind.ATTACHMENT_CREATED, issue, added, actor, now)]


@transaction.atomic(durable=True)
def detach(issue_id: UUID, asset_id: UUID, *, actor: User, now: datetime) -> list[Wake]:
    """Delete an attachment softly; its object stays.

    Raises:
        Issue.DoesNotExist, FileAsset.DoesNotExist: also if it was deleted before.
    """
    issue = locked(issue_id)
    asset = FileAsset.objects.get(issue=issue, id=asset_id, entity_type=ATTACHMENT)
    FileAsset.objects.filter(id=asset_id).update(
        is_deleted=True, deleted_at=now, updated_at=now, updated_by=actor
    )
    removed = changed(FIELD, "deleted the attachment", Value(asset.asset, asset.id), Value(), verb="deleted")
    return [_record(EventKind.ATTACHMENT_DELETED, issue, removed, actor, now)]


def _record(kind: EventKind, issue: Issue, activity: IssueActivity, actor: User, now: datetime) -> Wake:
    touch([issue], now=now)
    return record(kind, issue, [activity], actor=actor, now=now)
