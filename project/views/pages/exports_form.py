"""The form that asks for an export."""

from typing import Any
from uuid import UUID

from django import forms

from project.models import ExportFormat, Priority, Project, StateGroup, User, Workspace
from project.services.digests.wording import zone_named
from project.services.exports.filters import Filters
from project.services.exports.scope import scope_of
from project.services.exports.wish import Wish

_STATES = [(group.value, group.label) for group in StateGroup if group != StateGroup.TRIAGE]


class _Boxes(forms.MultipleChoiceField):
    """Any number of checkboxes; none is no restriction."""

    widget = forms.CheckboxSelectMultiple

    def __init__(self, label: str, choices: list[tuple[str, str]] | None = None) -> None:
        super().__init__(label=label, choices=choices or [], required=False)


class ExportForm(forms.Form):
    """What to export, in which form. Without JavaScript, and without the finer filters of the API."""

    projects = _Boxes("Projects (none means all)")
    provider = forms.ChoiceField(
        label="Format", choices=ExportFormat.choices, initial=ExportFormat.CSV, widget=forms.RadioSelect
    )
    multiple = forms.BooleanField(label="A file for each project", required=False)
    state_groups = _Boxes("States (none means all)", _STATES)
    priorities = _Boxes("Priorities (none means all)", list(Priority.choices))
    archived = forms.BooleanField(label="Archived issues, too", required=False)
    drafts = forms.BooleanField(label="Drafts, too", required=False)
    triage = forms.BooleanField(label="Issues in triage, too", required=False)

    def __init__(self, user: User, workspace: Workspace, data: Any = None) -> None:
        super().__init__(data, label_suffix="")
        self.user = user
        mine = Project.objects.filter(id__in=scope_of(user.id, workspace.id).projects, archived_at=None)
        names = [(str(project.id), project.name) for project in mine.order_by("name", "id")]
        self.fields["projects"].choices = names  # type: ignore[attr-defined]

    @property
    def switches(self) -> list[forms.BoundField]:
        """The fields that add issues which are otherwise left out."""
        return [self[name] for name in ("archived", "drafts", "triage")]

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
                archived=values["archived"],
                drafts=values["drafts"],
                triage=values["triage"],
            ),
            time_zone=str(zone_named(self.user.user_timezone)),
        )
