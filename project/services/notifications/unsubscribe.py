"""Stopping mail by the link in a mail, and taking that back.

It writes what the settings would write, so the settings show it and can undo it at any time.
"""

from datetime import datetime
from typing import Any, cast

from project.models import IssueMute, MailMode, MailSchedule, MailStop, Scope, UnsubscribeToken, User
from project.services.notifications.preferences import FLAGS, Flags, Place, decide, inherit, preferences_of

_NOTHING = cast(Flags, dict.fromkeys(FLAGS, False))


def scopes_of(token: UnsubscribeToken) -> list[Scope]:
    """Return what may be stopped by a token; first of all what its mails are about."""
    if token.issue:
        return [Scope.ISSUE, Scope.PROJECT, Scope.ALL]
    return [Scope.WORKSPACE, Scope.ALL] if token.workspace else [Scope.ALL]


def unsubscribe(token: UnsubscribeToken, scope: Scope, *, now: datetime) -> MailStop | None:
    """Stop mail; None if it was stopped already, which is fine."""
    match scope:
        case Scope.ISSUE:
            before = _mute(token, now)
        case Scope.ALL:
            before = _switch_off(token.receiver, now)
        case _:
            before = _want_nothing(token.receiver, _place(token, scope), now)
    if before is None:
        return None
    return MailStop.objects.create(token=token, scope=scope, at=now, before=before)


def take_back(stop: MailStop, *, now: datetime) -> None:
    """Let mail come again as before, once; what was decided otherwise since stays."""
    if not MailStop.objects.filter(id=stop.id, taken_back_at=None).update(taken_back_at=now):
        return
    receiver = stop.token.receiver
    match stop.scope:
        case Scope.ISSUE:
            IssueMute.objects.filter(user=receiver, issue=stop.token.issue).delete()
        case Scope.ALL:
            off = MailSchedule.objects.filter(user=receiver, mode=MailMode.OFF)
            off.update(mode=stop.before["mode"], updated_at=now)
        case _:
            _want_as_before(stop, now)


def stops_of(user: User) -> list[MailStop]:
    """Return the stops of a person that still hold, the newest first."""
    rows = MailStop.objects.filter(token__receiver=user, taken_back_at=None).order_by("-at")
    parts = ("token__receiver", "token__issue__project", "token__workspace")
    return [stop for stop in rows.select_related(*parts) if _holds(stop)]


def _holds(stop: MailStop) -> bool:
    token = stop.token
    match stop.scope:
        case Scope.ISSUE:
            return IssueMute.objects.filter(user=token.receiver, issue=token.issue).exists()
        case Scope.ALL:
            return MailSchedule.objects.filter(user=token.receiver, mode=MailMode.OFF).exists()
    return preferences_of(token.receiver).at(_place(token, stop.scope)).flags == _NOTHING


def _place(token: UnsubscribeToken, scope: str) -> Place:
    if scope == Scope.WORKSPACE or token.issue is None:
        return Place(token.workspace_id)
    return Place(token.issue.workspace_id, token.issue.project_id)


def _mute(token: UnsubscribeToken, now: datetime) -> dict[str, Any] | None:
    muted = {"user": token.receiver, "issue": token.issue}
    _, new = IssueMute.objects.get_or_create(**muted, defaults={"created_at": now})
    return {} if new else None


def _switch_off(user: User, now: datetime) -> dict[str, Any] | None:
    schedule, _ = MailSchedule.objects.get_or_create(user=user, defaults={"updated_at": now})
    on = MailSchedule.objects.filter(user=user).exclude(mode=MailMode.OFF)
    return {"mode": schedule.mode} if on.update(mode=MailMode.OFF, updated_at=now) else None


def _want_nothing(user: User, place: Place, now: datetime) -> dict[str, Any] | None:
    flags, source = preferences_of(user).at(place)
    if flags == _NOTHING:
        return None
    decide(user, place, _NOTHING, now=now)
    return {"flags": flags if source == place.source else None}


def _want_as_before(stop: MailStop, now: datetime) -> None:
    user, place = stop.token.receiver, _place(stop.token, stop.scope)
    if preferences_of(user).at(place).flags != _NOTHING:
        return
    if flags := stop.before["flags"]:
        decide(user, place, flags, now=now)
    else:
        inherit(user, place, now=now)
