"""Puts a digest's context and items together for the composer: names, links and why this person gets it."""

from collections.abc import Sequence
from itertools import chain

from project.models import Issue
from project.services.digests.context import Context
from project.services.digests.items import Item, Note
from project.services.digests.matter import Matter
from project.services.digests.reason import Reason, reason_for
from project.services.digests.rollup import IssueView, RollupView
from project.services.digests.view import DigestView
from project.services.digests.way_out import way_out
from project.services.digests.wording import day_in_words


def view_of(context: Context, matter: Matter, items: Sequence[Item], site_url: str) -> DigestView:
    """Return the composer's input for one issue. Links come from `site_url` only."""
    issue, receiver = matter.issue, context.receiver
    workspace, project = issue.project.workspace, issue.project
    place = f"{site_url}/{workspace.slug}"
    return DigestView(
        receiver_name=receiver.shown_name,
        timezone=receiver.user_timezone,
        workspace=workspace.name,
        project=project.name,
        issue_key=_key(issue),
        issue_title=issue.name,
        issue_state=issue.state.name if issue.state else "",
        items=items,
        people={str(user.id): user.shown_name for user in context.people.values()},
        reason=reason_for(receiver.id, matter, items),
        issue_url=_url(issue, place),
        preferences_url=f"{place}/settings/account/notifications/",
        unsubscribe_url=way_out(context.digest, site_url),
    )


def rollup_of(context: Context, told: Sequence[tuple[Matter, Sequence[Item]]], site_url: str) -> RollupView:
    """Return the composer's input for many issues of one workspace."""
    receiver, workspace = context.receiver, told[0][0].issue.project.workspace
    place = f"{site_url}/{workspace.slug}"
    mentioned = any(map(_mentions, chain.from_iterable(items for _, items in told)))
    return RollupView(
        receiver_name=receiver.shown_name,
        timezone=receiver.user_timezone,
        workspace=workspace.name,
        day=day_in_words(context.digest.created_at, context.wish.zone),
        issues=[_issue_view(matter, items, place) for matter, items in sorted(told, key=_place_in_mail)],
        people={str(user.id): user.shown_name for user in context.people.values()},
        reason=Reason.MENTION if mentioned else Reason.ROLLUP,
        inbox_url=f"{place}/inbox/",
        preferences_url=f"{place}/settings/account/notifications/",
        unsubscribe_url=way_out(context.digest, site_url),
    )


def _place_in_mail(told: tuple[Matter, Sequence[Item]]) -> tuple[bool, str, float, int]:
    """Put mentions first, then the projects by name, and of a project what happened last first."""
    matter, items = told
    last = matter.activities[-1].created_at.timestamp()
    return not any(map(_mentions, items)), matter.issue.project.name, -last, matter.issue.sequence_id


def _mentions(item: Item) -> bool:
    return isinstance(item, Note) and item.mention


def _issue_view(matter: Matter, items: Sequence[Item], place: str) -> IssueView:
    issue = matter.issue
    return IssueView(
        key=_key(issue),
        title=issue.name,
        state=issue.state.name if issue.state else "",
        project=issue.project.name,
        url=_url(issue, place),
        items=items,
    )


def _key(issue: Issue) -> str:
    return f"{issue.project.identifier}-{issue.sequence_id}"


def _url(issue: Issue, place: str) -> str:
    return f"{place}/projects/{issue.project_id}/issues/{issue.id}"
