"""An issue's description: its columns, its activity, and the rows that say whom it mentions."""

from datetime import datetime, timedelta
from uuid import UUID

from project.models import Issue, IssueActivity, IssueMention, User
from project.models.mention_markup import mentioned_ids
from project.services.notifications.columns import Value, changed
from project.services.notifications.plain_text import plain_text
from project.services.notifications.record import newest_activity
from project.services.notifications.references import active_members

#: One person's edits within this time are one activity: editors save while somebody types.
ONE_SITTING = timedelta(minutes=10)


def describe(issue: Issue, html: str) -> list[UUID]:
    """Set the description on `issue`, unsaved; return whom it newly mentions, in order."""
    before = set(mentioned_ids(issue.description_html))
    issue.description_html, issue.description_stripped = html, plain_text(html)
    return [user for user in mentioned_ids(html) if user not in before]


def redescribe(
    issue: Issue, html: str, *, actor: User, now: datetime
) -> tuple[list[IssueActivity], list[UUID]]:
    """Change the description of an existing issue, whose columns are left to be saved.

    Returns:
        The activity, if the text is another one, and who is newly mentioned.
    """
    old = issue.description_html
    if html == old:
        return [], []
    mentioned = describe(issue, html)
    keep_mentions(issue, actor=actor, now=now)
    return [_activity(issue, old, actor, now)], mentioned


def keep_mentions(issue: Issue, *, actor: User, now: datetime) -> None:
    """Let the mention rows of a saved issue name exactly the active members whom its description mentions."""
    members = active_members(issue.project).filter(member__in=mentioned_ids(issue.description_html))
    wanted = set(members.values_list("member_id", flat=True))
    rows = IssueMention.objects.filter(issue=issue)
    current = set(rows.values_list("mention_id", flat=True))
    if gone := current - wanted:
        rows.filter(mention__in=gone).update(deleted_at=now, updated_at=now)
    IssueMention.objects.bulk_create(
        IssueMention(
            mention_id=user,
            issue=issue,
            project_id=issue.project_id,
            workspace_id=issue.workspace_id,
            created_at=now,
            created_by=actor,
            updated_by=actor,
        )
        for user in wanted - current
        if user is not None
    )


def _activity(issue: Issue, old: str, actor: User, now: datetime) -> IssueActivity:
    """Make the newest activity end with the new text if it is of the same sitting, else return a new one."""
    last = newest_activity(issue)
    if last and _same_sitting(last, actor, now):
        IssueActivity.objects.filter(id=last.id).update(new_value=issue.description_html, updated_at=now)
        return last
    return changed("description", "updated the description to", Value(old), Value(issue.description_html))


def _same_sitting(last: IssueActivity, actor: User, now: datetime) -> bool:
    recent = now - last.created_at <= ONE_SITTING
    return last.field == "description" and last.actor_id == actor.id and recent
