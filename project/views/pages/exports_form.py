"""The form that asks for an export."""

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple
from uuid import UUID

from django import forms

from project.models import ExportFormat, Priority, StateGroup, User, Workspace
from project.services.digests.wording import zone_named
from project.services.exports.choices import Choice, labels_in, people_in, projects_of
from project.services.exports.filters import Filters, Span
from project.services.exports.scope import scope_of
from project.services.exports.wish import Wish

#: The dates that can be restricted, in the order of the form, and what they are called there.
DATES = {
    "created_at": "Created",
    "updated_at": "Updated",
    "start_date": "Start date",
    "target_date": "Due date",
    "completed_at": "Completed",
}
_STATES = [(group.value, group.label) for group in StateGroup if group != StateGroup.TRIAGE]


class Days(NamedTuple):
    """Two fields between which a date is to lie."""

    label: str
    first: forms.BoundField
    last: forms.BoundField


class _Any(forms.MultipleChoiceField):
    """Any number of choices; none is no restriction."""

    def __init__(
        self,
        label: str,
        choices: Sequence[Choice] = (),
        widget: type[forms.Widget] = forms.CheckboxSelectMultiple,
    ) -> None:
        super().__init__(label=label, choices=choices, widget=widget, required=False)


class _Day(forms.DateField):
    """A day, which may be left open."""

    def __init__(self, label: str) -> None:
        widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
        super().__init__(label=label, widget=widget, input_formats=["%Y-%m-%d"], required=False)


class ExportForm(forms.Form):
    """What to export, in which form. It works without JavaScript."""

    projects = _Any("Projects (none means all)")
    provider = forms.ChoiceField(
        label="Format", choices=ExportFormat.choices, initial=ExportFormat.CSV, widget=forms.RadioSelect
    )
    multiple = forms.BooleanField(label="A file for each project", required=False)
    state_groups = _Any("States (none means all)", _STATES)
    priorities = _Any("Priorities (none means all)", Priority.choices)
    assignees = _Any("Assigned to any of", widget=forms.SelectMultiple)
    labels = _Any("With any of these labels", widget=forms.SelectMultiple)
    archived = forms.BooleanField(label="Archived issues, too", required=False)
    drafts = forms.BooleanField(label="Drafts, too", required=False)
    triage = forms.BooleanField(label="Issues in triage, too", required=False)

    def __init__(self, user: User, workspace: Workspace, data: Any = None) -> None:
        super().__init__(data, label_suffix="")
        self.user = user
        mine = scope_of(user.id, workspace.id).projects
        self._offer("projects", projects_of(mine))
        self._offer("assignees", people_in(mine))
        self._offer("labels", labels_in(workspace, mine))
        for name in DATES:
            self.fields |= {f"{name}_first": _Day("from"), f"{name}_last": _Day("to")}

    @property
    def days(self) -> list[Days]:
        """The dates, two fields each."""
        return [Days(label, self[f"{name}_first"], self[f"{name}_last"]) for name, label in DATES.items()]

    @property
    def switches(self) -> list[forms.BoundField]:
        """The fields that add issues which are otherwise left out."""
        return [self[name] for name in ("archived", "drafts", "triage")]

    def clean(self) -> None:
        """Refuse spans that end before they begin."""
        for name in DATES:
            if self._span(name).backwards:
                self.add_error(f"{name}_last", "It must not be before the first day.")

    def wish(self) -> Wish:
        """Return what a valid form asks for, in times of the user's zone."""
        values = self.cleaned_data
        return Wish(
            provider=ExportFormat(values["provider"]),
            projects=frozenset(map(UUID, values["projects"])) or None,
            multiple=values["multiple"],
            filters=Filters(
                state_groups=tuple(sorted(values["state_groups"])),
                priorities=tuple(sorted(values["priorities"])),
                assignees=tuple(map(UUID, values["assignees"])),
                labels=tuple(map(UUID, values["labels"])),
                dates={name: span for name in DATES if any(span := self._span(name))},
                archived=values["archived"],
                drafts=values["drafts"],
                triage=values["triage"],
            ),
            time_zone=str(zone_named(self.user.user_timezone)),
        )

    def _offer(self, name: str, choices: Sequence[Choice]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def _span(self, name: str) -> Span:
        days: list[date | None] = [self.cleaned_data.get(f"{name}_{side}") for side in Span._fields]
        return Span(*days)
