"""Notifications as the inbox shows them. One with strange data costs its own words, and no other."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.text import Truncator
from django.utils.timesince import timesince

from project.models import Notification
from project.services.digests.avatar import Avatar, avatar_of
from project.services.digests.wording import FORMER_MEMBER
from project.services.notifications.inbox import MENTION_SENDER
from project.views.pages.deeds import Deed, deed_of

EXCERPT = 240  # characters of a comment


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One notification in words. `excerpt` may be empty; `snoozed_till` is None unless it lies ahead."""

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


def entry_of(row: Notification, *, now: datetime) -> Entry:
    """Put a notification, which comes with who triggered it, in words."""
    issue, activity = (_part(row, name) for name in ("issue", "issue_activity"))
    who = row.triggered_by.full_name if row.triggered_by else FORMER_MEMBER
    mention = row.sender == MENTION_SENDER
    number = issue.get("sequence_id")
    return Entry(
        row=row,
        who=who,
        avatar=avatar_of(who),
        deed=_mention(activity) if mention else deed_of(activity),
        excerpt=Truncator(activity.get("issue_comment") or "").chars(EXCERPT),
        issue_key=f"{issue.get('identifier')}-{number}" if number else "",
        issue_title=str(issue.get("name") or "An issue"),
        age=age_of(row.created_at, now=now),
        mention=mention,
        snoozed_till=row.snoozed_till if row.snoozed_till and row.snoozed_till > now else None,
    )


def age_of(at: datetime, *, now: datetime) -> str:
    """Say how long ago something was: "just now", "5 minutes ago"."""
    return f"{timesince(at, now, depth=1)} ago" if (now - at).total_seconds() >= 60 else "just now"


def _part(row: Notification, name: str) -> dict[str, Any]:
    part = row.data.get(name) if isinstance(row.data, dict) else None
    return part if isinstance(part, dict) else {}


def _mention(activity: dict[str, Any]) -> Deed:
    place = "a comment" if activity.get("field") == "comment" else "the description"
    return Deed(f"mentioned you in {place}")
