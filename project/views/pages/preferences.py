"""Notification settings: what is mailed in general, and otherwise in the workspace or a project of it.

This is where mails lead that offer to change the settings.
"""

from datetime import timedelta
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.contrib import messages
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from rest_framework.exceptions import NotFound

from project.models import Project, ProjectMember
from project.services.digests.clearing import SOFT, standing
from project.services.digests.next_mail import next_mail_in_words
from project.services.digests.windows import Wish
from project.services.digests.wording import zone_named
from project.services.notifications.preferences import (
    EVERYWHERE,
    FLAGS,
    Flags,
    Place,
    Preferences,
    Source,
    decide,
    inherit,
    preferences_of,
)
from project.services.notifications.schedule import schedule_of
from project.views.pages.page import WorkspacePage
from project.views.pages.schedule import modes_of
from project.views.pages.stops import stops_in

WORDS = {
    "property_change": ("Changes", "Title, description, priority, assignees, labels, dates"),
    "state_change": ("State changes", "An issue moves to another state"),
    "issue_completed": ("Completion", "An issue moves to a state that means done"),
    "comment": ("Comments", "Somebody comments"),
    "mention": ("Mentions", "Somebody mentions you"),
}

_SOURCES = {
    Source.DEFAULT: "as in general",
    Source.GENERAL: "as in general",
    Source.WORKSPACE: "as in the workspace",
}


class Choice(NamedTuple):
    """A checkbox."""

    name: str
    label: str
    hint: str
    on: bool


class Section(NamedTuple):
    """The form of one place. `own`: it was decided there; otherwise `source` says where it comes from."""

    name: str
    title: str
    choices: list[Choice]
    own: bool
    source: str


class PreferencesPage(WorkspacePage):
    """``/<slug>/settings/account/notifications/``."""

    def find(self, **kwargs: Any) -> None:
        """Find the workspace and the places that can be decided about: by name, with title."""
        super().find(**kwargs)
        self.places: dict[str, tuple[str, Place]] = {
            "everywhere": ("In general", EVERYWHERE),
            "workspace": (self.workspace.name, Place(self.workspace.id)),
        }
        membership = ProjectMember.objects.filter(project=OuterRef("pk"), member=self.user, is_active=True)
        for project in Project.objects.filter(Exists(membership), workspace=self.workspace).order_by("name"):
            self.places[str(project.id)] = (project.name, Place(self.workspace.id, project.id))

    def get(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Show what holds where."""
        found, schedule = preferences_of(self.user), schedule_of(self.user)
        wish = Wish(schedule, zone_named(self.user.user_timezone))
        general, *others = (_section(name, *place, found) for name, place in self.places.items())
        refusal = standing(self.user.email or "", now=timezone.now())
        context = {
            "general": general,
            "others": others,
            "refusal": refusal,
            "stops": stops_in(self.workspace, self.user),
            "schedule": schedule,
            "modes": modes_of(schedule),
            "next_mail": next_mail_in_words(wish, now=timezone.now(), limits=settings.LIMITS),
            "may_try_again": refusal is not None and refusal.reason in SOFT,
            "windows": [
                in_words(limit)
                for limit in (
                    settings.LIMITS.window_idle,
                    settings.LIMITS.window_cap,
                    settings.LIMITS.window_mention,
                )
            ],
        }
        return self.show("preferences", context)

    def post(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Decide about one place, or let it inherit, then show all of them."""
        name = request.POST.get("place", "")
        if name not in self.places:
            raise NotFound("There is no such project.")
        title, place = self.places[name]
        if "inherit" in request.POST:
            inherit(self.user, place, now=timezone.now())
        else:
            flags = cast(Flags, {flag: flag in request.POST for flag in FLAGS})
            decide(self.user, place, flags, now=timezone.now())
        messages.success(request, f"Saved: {title}.")
        return redirect(request.path)


def in_words(time: timedelta) -> str:
    """Say a short time: "30 seconds", "2 minutes"."""
    seconds = round(time.total_seconds())
    number, unit = (seconds, "second") if seconds % 60 else (seconds // 60, "minute")
    return f"{number} {unit}{'' if number == 1 else 's'}"


def _section(name: str, title: str, place: Place, found: Preferences) -> Section:
    flags, source = found.at(place)
    choices = [Choice(flag, *words, on=flags[flag]) for flag, words in WORDS.items()]  # type: ignore[literal-required]
    return Section(name, title, choices, source == place.source, _SOURCES.get(source, ""))
