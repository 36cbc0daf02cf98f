"""When a person wants their mail, and about which issues they want none.

What is decided here takes effect with mails that are gathered already, since it is asked before every attempt.
"""

from datetime import datetime, time
from typing import TypedDict
from uuid import UUID

from django.db import transaction

from project.models import DigestStatus, EmailDigest, IssueMute, MailMode, MailSchedule, User
from project.models.digest import WAITS
from project.services.notifications.tickets import void_tickets


class QuietHoursError(ValueError):
    """Quiet hours that begin without ending, end without beginning, or last for no time or the whole day."""


class Wanted(TypedDict, total=False):
    """What somebody may decide; what is absent stays as it is."""

    mode: MailMode
    daily_at: time
    quiet_from: time | None
    quiet_until: time | None
    mentions_at_once: bool


def schedule_of(user: User) -> MailSchedule:
    """Return when `user` wants mail, as decided or by default."""
    return MailSchedule.objects.filter(user=user).first() or MailSchedule(user=user)


@transaction.atomic(durable=True)
def reschedule(user: User, wanted: Wanted, *, now: datetime) -> MailSchedule:
    """Decide when `user` wants mail. Mails that were put off for what they wanted before are looked at again now.

    Raises:
        QuietHoursError: if what would hold then has no end, or no beginning; nothing is changed.
    """
    MailSchedule.objects.bulk_create([MailSchedule(user=user, updated_at=now)], ignore_conflicts=True)
    row = MailSchedule.objects.select_for_update().get(user=user)
    for name, value in wanted.items():
        setattr(row, name, value)
    if (row.quiet_from is None) != (row.quiet_until is None):
        raise QuietHoursError("Quiet hours need both a beginning and an end.")
    if row.quiet_from is not None and row.quiet_from == row.quiet_until:
        raise QuietHoursError("Quiet hours must end at another time than they begin.")
    row.updated_at = now
    row.save()
    _ask_anew(user, now)
    void_tickets(user)
    return row


def _ask_anew(user: User, now: datetime) -> None:
    """Let the sweep find the mails that wait for a time that `user` wanted."""
    put_off = EmailDigest.objects.filter(receiver=user, status=DigestStatus.WAITING, answer__startswith=WAITS)
    put_off.filter(due_at__gt=now, awaits_breaker=False).update(due_at=now, enqueued_at=None)


def is_muted(issue_id: UUID, user: User) -> bool:
    """Tell whether `user` wants no mail about the issue."""
    return IssueMute.objects.filter(issue=issue_id, user=user).exists()


def mute(issue_id: UUID, user: User, *, now: datetime) -> None:
    """Note that `user` wants no mail about the issue; to have muted it already is fine."""
    row = IssueMute(issue_id=issue_id, user=user, created_at=now)
    IssueMute.objects.bulk_create([row], ignore_conflicts=True)
    void_tickets(user)


def unmute(issue_id: UUID, user: User) -> None:
    """Let `user` get mail about the issue again; to have it not muted is fine."""
    IssueMute.objects.filter(issue=issue_id, user=user).delete()
