"""Stopping mail by the link in a mail, and taking that back.

It writes what the settings would write, so the settings show it and can undo it at any time. Only what is about
exports they do not have; the stop itself says that.
"""

from datetime import datetime
from typing import Any, cast
from uuid import UUID

from django.db.models import QuerySet

from project.models import (
    IssueMute,
    MailMode,
    MailSchedule,
    MailStop,
    Scope,
    UnsubscribeToken,
    User,
    UserNotificationPreference,
)
from project.services.notifications.preferences import (
    FLAGS,
    Effective,
    Flags,
    Place,
    decide,
    inherit,
    preferences_of,
)
from project.services.notifications.tickets import void_tickets

_NOTHING = cast(Flags, dict.fromkeys(FLAGS, False))


def scopes_of(token: UnsubscribeToken) -> list[Scope]:
    """Return what may be stopped by a token; first of all what its mails are about."""
    if token.issue:
        return [Scope.ISSUE, Scope.PROJECT, Scope.ALL]
    return [Scope.WORKSPACE if token.workspace else Scope.EXPORTS, Scope.ALL]


def unsubscribe(token: UnsubscribeToken, scope: Scope, *, now: datetime) -> MailStop | None:
    """Stop mail; None if it was stopped already, which is fine, and voids the tickets to take that back."""
    match scope:
        case Scope.ISSUE:
            before = _mute(token, now)
        case Scope.EXPORTS:
            before = None if _without_exports(token.receiver).exists() else {}
        case Scope.ALL:
            before = _switch_off(token.receiver, now)
        case _:
            before = _want_nothing(token.receiver, _place(token, scope), now)
    if before is None:
        void_tickets(token.receiver)
        return None
    return MailStop.objects.create(token=token, scope=scope, at=now, before=before)


def take_back(stop: MailStop, *, now: datetime) -> None:
    """Let mail come again as before, once; what was decided otherwise since stays."""
    as_read = MailStop.objects.filter(id=stop.id, ticket=stop.ticket, taken_back_at=None)
    if not as_read.update(taken_back_at=now):
        return
    receiver = stop.token.receiver
    match stop.scope:
        case Scope.ISSUE:
            IssueMute.objects.filter(user=receiver, issue=stop.token.issue).delete()
        case Scope.EXPORTS:
            _without_exports(receiver).update(taken_back_at=now)
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
        case Scope.EXPORTS:
            return True
        case Scope.ALL:
            return MailSchedule.objects.filter(user=token.receiver, mode=MailMode.OFF).exists()
    return not _wants(token.receiver, _place(token, stop.scope))


def _place(token: UnsubscribeToken, scope: str) -> Place:
    if scope == Scope.WORKSPACE or token.issue is None:
        return Place(token.workspace_id)
    return Place(token.issue.workspace_id, token.issue.project_id)


def _mute(token: UnsubscribeToken, now: datetime) -> dict[str, Any] | None:
    muted = {"user": token.receiver, "issue": token.issue}
    _, new = IssueMute.objects.get_or_create(**muted, defaults={"created_at": now})
    return {} if new else None


def _without_exports(user: User) -> QuerySet[MailStop]:
    return MailStop.objects.filter(token__receiver=user, scope=Scope.EXPORTS, taken_back_at=None)


def _switch_off(user: User, now: datetime) -> dict[str, Any] | None:
    schedule, _ = MailSchedule.objects.get_or_create(user=user, defaults={"updated_at": now})
    on = MailSchedule.objects.filter(user=user).exclude(mode=MailMode.OFF)
    return {"mode": schedule.mode} if on.update(mode=MailMode.OFF, updated_at=now) else None


def _wants(user: User, place: Place) -> bool:
    wanted = preferences_of(user)
    return any(wanted.at(one).flags != _NOTHING for one in (place, *_decided_within(user, place)))


def _decided_within(user: User, place: Place) -> list[Place]:
    """Return the projects of a workspace for which the person decided apart: their rows win."""
    if place.project_id:
        return []
    rows = UserNotificationPreference.objects.filter(user=user, project__workspace=place.workspace_id)
    return [Place(place.workspace_id, row.project_id) for row in rows.distinct("project")]


def _want_nothing(user: User, place: Place, now: datetime) -> dict[str, Any] | None:
    if not _wants(user, place):
        return None
    wanted, within = preferences_of(user), _decided_within(user, place)
    flags, source = wanted.at(place)
    for one in (place, *within):
        decide(user, one, _NOTHING, now=now)
    return {
        "flags": flags if source == place.source else None,
        "projects": {str(one.project_id): wanted.at(one).flags for one in within},
    }


def _want_as_before(stop: MailStop, now: datetime) -> None:
    user, place = stop.token.receiver, _place(stop.token, stop.scope)
    projects = stop.before.get("projects", {}).items()  # stops of former versions know none
    before = {
        place: stop.before["flags"],
        **{Place(place.workspace_id, UUID(key)): was for key, was in projects},
    }
    for one, flags in before.items():
        if preferences_of(user).at(one) != Effective(_NOTHING, one.source):
            continue
        if flags:
            decide(user, one, flags, now=now)
        else:
            inherit(user, one, now=now)
