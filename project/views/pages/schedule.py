"""When a person wants mail: the form in their settings."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from project.models import MailMode, MailSchedule
from project.services.notifications.schedule import QuietHoursError, Wanted, reschedule
from project.views.pages.page import WorkspacePage

MODES = {
    MailMode.INSTANT: ("At once", "A mail within a minute or two of each change"),
    MailMode.WINDOW: ("Gathered", "What happens on an issue within a few minutes comes in one mail"),
    MailMode.DAILY: ("Once a day", "One mail for each workspace"),
    MailMode.OFF: ("Never", "No mail at all"),
}


class ScheduleForm(forms.Form):
    """What the form sends. A box that is not ticked is not sent."""

    mode = forms.ChoiceField(choices=[(mode, label) for mode, (label, _) in MODES.items()])
    daily_at = forms.TimeField()
    quiet_from = forms.TimeField(required=False)
    quiet_until = forms.TimeField(required=False)
    mentions_at_once = forms.BooleanField(required=False)

    def wanted(self) -> Wanted:
        """Return what was sent; only for a form that is valid."""
        return cast(Wanted, self.cleaned_data)


def modes_of(schedule: MailSchedule) -> list[tuple[str, str, str, bool]]:
    """Return the choices: value, label, what it means, and whether it is chosen."""
    return [(mode.value, *words, schedule.mode == mode) for mode, words in MODES.items()]


class ScheduleDeed(WorkspacePage):
    """``/<slug>/settings/account/notifications/schedule/``, by POST only."""

    def post(self, request: HttpRequest, **_: Any) -> HttpResponse:
        """Decide, and show the settings."""
        form = ScheduleForm(request.POST)
        if refusal := self._refusal(form):
            messages.error(request, f"Not saved. {refusal}")
        else:
            messages.success(request, "Saved: when mail comes.")
        return redirect("preferences", self.workspace.slug)

    def _refusal(self, form: ScheduleForm) -> str:
        """Decide; return why that cannot be, or an empty string."""
        if not form.is_valid():
            return "Times are written like 08:30."
        try:
            reschedule(self.user, form.wanted(), now=timezone.now())
        except QuietHoursError as error:
            return str(error)
        return ""
