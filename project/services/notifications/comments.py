"""Creates, changes and deletes comments: the comment, its activity and its event in one transaction."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction

from project.models import Issue, IssueActivity, IssueComment, User, Wake
from project.models.mention_markup import mentioned_ids
from project.services.notifications.plain_text import plain_text
from project.services.notifications.record import EventKind, locked, record, touch


@transaction.atomic(durable=True)
def create_comment(
    issue_id: UUID, html: str, *, actor: User, now: datetime
) -> tuple[IssueComment, list[Wake]]:
    """Comment on an issue.

    Raises:
        Issue.DoesNotExist: if there is no such issue any more.
    """
    issue = locked(issue_id)
    comment = IssueComment.objects.create(
        issue=issue,
        project_id=issue.project_id,
        workspace_id=issue.workspace_id,
        actor=actor,
        comment_html=html,
        comment_stripped=plain_text(html),
        created_at=now,
        created_by=actor,
        updated_by=actor,
    )
    activity = _activity(comment, "created", "created a comment", new=html)
    mentioned = mentioned_ids(html)
    wake = _record(EventKind.COMMENT_CREATED, issue, activity, actor=actor, now=now, mentioned=mentioned)
    return comment, [wake]


@transaction.atomic(durable=True)
def update_comment(issue_id: UUID, comment_id: UUID, html: str, *, actor: User, now: datetime) -> list[Wake]:
    """Change a comment's text; the text it had already leaves no trace.

    Raises:
        Issue.DoesNotExist, IssueComment.DoesNotExist: also if it was deleted.
    """
    issue = locked(issue_id)
    comment = IssueComment.objects.get(issue=issue, id=comment_id)
    old = comment.comment_html
    if html == old:
        return []
    IssueComment.objects.filter(id=comment_id).update(
        comment_html=html,
        comment_stripped=plain_text(html),
        edited_at=now,
        updated_at=now,
        updated_by=actor,
    )
    before = set(mentioned_ids(old))
    mentioned = [user for user in mentioned_ids(html) if user not in before]
    activity = _activity(comment, "updated", "updated a comment", old=old, new=html)
    return [_record(EventKind.COMMENT_UPDATED, issue, activity, actor=actor, now=now, mentioned=mentioned)]


@transaction.atomic(durable=True)
def delete_comment(issue_id: UUID, comment_id: UUID, *, actor: User, now: datetime) -> list[Wake]:
    """Delete a comment softly: its row stays, hidden.

    Raises:
        Issue.DoesNotExist, IssueComment.DoesNotExist: also if it was deleted before.
    """
    issue = locked(issue_id)
    comment = IssueComment.objects.get(issue=issue, id=comment_id)
    IssueComment.objects.filter(id=comment_id).update(deleted_at=now, updated_at=now, updated_by=actor)
    activity = _activity(comment, "deleted", "deleted the comment")
    return [_record(EventKind.COMMENT_DELETED, issue, activity, actor=actor, now=now)]


def _activity(
    comment: IssueComment, verb: str, words: str, *, old: str | None = None, new: str | None = None
) -> IssueActivity:
    return IssueActivity(
        verb=verb,
        field="comment",
        comment=words,
        old_value=old,
        new_value=new,
        new_identifier=comment.id,
        issue_comment=comment,
    )


def _record(
    kind: EventKind,
    issue: Issue,
    activity: IssueActivity,
    *,
    actor: User,
    now: datetime,
    mentioned: Sequence[UUID] = (),
) -> Wake:
    touch([issue], now=now)
    return record(kind, issue, [activity], actor=actor, now=now, mentioned=mentioned)
