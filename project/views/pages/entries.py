"""Notifications as the inbox shows them. One with strange data costs its own words, and no other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.text import Truncator
from django.utils.timesince import timesince

from project.models import Entity, IssueComment, Notification, User
from project.models.mention_markup import mentioned_ids, with_names
from project.services.digests.avatar import Avatar, avatar_of
from project.services.digests.wording import AUTOMATION, name_of
from project.services.notifications.inbox import MENTION_SENDER
from project.services.notifications.plain_text import plain_text
from project.views.pages.deeds import Deed, deed_of
from project.views.pages.exports_told import told

EXCERPT = 240  # characters of a comment


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One notification in words. `snoozed_till` is None unless it lies ahead.

    `excerpt` may be empty; so are `who` and `issue_key` if it is about an export, whose title then stands in for an
    issue's.
    """

    row: Notification
    who: str
    avatar: Avatar
    deed: Deed
    excerpt: str
    issue_key: str
    issue_title: str
    age: str
    mention: bool
    snoozed_till: datetime | None


def entries_of(rows: Iterable[Notification], *, now: datetime) -> list[Entry]:
    """Put notifications, which come with who triggered them, in words; two queries.

    Comments are told as they are now, like in mails: what was deleted since is not shown any more.
    """
    comments = IssueComment.objects.in_bulk([id_ for id_ in map(_comment_id, rows) if id_])
    html = {id_: comment.comment_html for id_, comment in comments.items()}
    named = {user for text in html.values() for user in mentioned_ids(text)}
    people = {str(user.id): user.shown_name for user in User.objects.filter(id__in=named)}
    texts = {id_: plain_text(with_names(text, people)) for id_, text in html.items()}
    return [
        _of_export(row, now) if row.entity_name == Entity.EXPORT else _entry(row, texts, now) for row in rows
    ]


def _of_export(row: Notification, now: datetime) -> Entry:
    return Entry(
        row=row,
        who="",
        avatar=avatar_of("Export"),
        deed=Deed(told(row)),
        excerpt="",
        issue_key="",
        issue_title=row.title,
        age=age_of(row.created_at, now=now),
        mention=False,
        snoozed_till=_ahead(row, now),
    )


def _entry(row: Notification, texts: Mapping[UUID, str], now: datetime) -> Entry:
    issue, activity = (_part(row, name) for name in ("issue", "issue_activity"))
    who = _who(row, activity)
    mention = row.sender == MENTION_SENDER
    number, comment = issue.get("sequence_id"), _comment_id(row)
    return Entry(
        row=row,
        who=who,
        avatar=avatar_of(who),
        deed=_mention(activity) if mention else deed_of(activity),
        excerpt=Truncator(texts.get(comment, "")).chars(EXCERPT) if comment else "",
        issue_key=f"{issue.get('identifier')}-{number}" if number else "",
        issue_title=str(issue.get("name") or "An issue"),
        age=age_of(row.created_at, now=now),
        mention=mention,
        snoozed_till=_ahead(row, now),
    )


def _who(row: Notification, activity: Mapping[str, Any]) -> str:
    if row.triggered_by:
        return row.triggered_by.shown_name
    return name_of(AUTOMATION if activity.get("automatic") else None, {})


def _ahead(row: Notification, now: datetime) -> datetime | None:
    return row.snoozed_till if row.snoozed_till and row.snoozed_till > now else None


def age_of(at: datetime, *, now: datetime) -> str:
    """Say how long ago something was: "just now", "5 minutes ago"."""
    return f"{timesince(at, now, depth=1)} ago" if (now - at).total_seconds() >= 60 else "just now"


def _part(row: Notification, name: str) -> dict[str, Any]:
    part = row.data.get(name) if isinstance(row.data, dict) else None
    return part if isinstance(part, dict) else {}


def _comment_id(row: Notification) -> UUID | None:
    activity = _part(row, "issue_activity")
    try:
        return UUID(activity["new_identifier"]) if activity.get("field") == "comment" else None
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _mention(activity: Mapping[str, Any]) -> Deed:
    place = "a comment" if activity.get("field") == "comment" else "the description"
    return Deed(f"mentioned you in {place}")
