"""Puts a digest's context and items together for the composer: names, links and why this person gets it."""

from collections.abc import Sequence

from project.models import Issue, IssueAssignee
from project.services.digests.context import Context
from project.services.digests.items import Item, Note
from project.services.digests.view import DigestView


def view_of(context: Context, items: Sequence[Item], site_url: str) -> DigestView:
    """Return the composer's input. Links come from `site_url` only."""
    issue, receiver = context.issue, context.receiver
    if issue is None:
        raise ValueError("a digest without an issue has nothing to tell")
    workspace, project = issue.project.workspace, issue.project
    place = f"{site_url}/{workspace.slug}"
    return DigestView(
        receiver_name=receiver.display_name or receiver.full_name,
        timezone=receiver.user_timezone,
        workspace=workspace.name,
        project=project.name,
        issue_key=f"{project.identifier}-{issue.sequence_id}",
        issue_title=issue.name,
        issue_state=issue.state.name if issue.state else "",
        items=items,
        people={str(user.id): user.full_name for user in context.people.values()},
        reason=f"You get this mail because {_why(issue, context, items)}.",
        issue_url=f"{place}/projects/{project.id}/issues/{issue.id}",
        preferences_url=f"{place}/settings/account/notifications/",
    )


def _why(issue: Issue, context: Context, items: Sequence[Item]) -> str:
    if any(isinstance(item, Note) and item.mention for item in items):
        return "you were mentioned"
    if IssueAssignee.objects.filter(issue=issue, assignee=context.receiver).exists():
        return "the issue is assigned to you"
    if issue.created_by_id == context.receiver.id:
        return "you created the issue"
    return "you follow the issue"
