"""Which dead letters the admin's list shows."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django import forms

from project.queue.dead_letter import Wanted

AGES = {
    "hour": ("In the last hour", timedelta(hours=1)),
    "day": ("In the last day", timedelta(days=1)),
    "older": ("Before that", timedelta(days=1)),
}


class LetterFilter(forms.Form):
    """One queue at a time; what is left empty does not restrict."""

    actor = forms.CharField(required=False)
    error = forms.CharField(required=False, label="Reason or error has")
    age = forms.ChoiceField(
        required=False,
        label="Died",
        choices=[("", "Any time"), *((key, age[0]) for key, age in AGES.items())],
    )

    def __init__(self, counts: Mapping[str, int], data: Mapping[str, object]) -> None:
        super().__init__(data)
        self._counts = counts
        choices = [(name, f"{name} ({number})") for name, number in counts.items()]
        self.fields["queue"] = forms.ChoiceField(required=False, choices=choices)
        self.order_fields(["queue", "actor", "error", "age"])

    def chosen_queue(self) -> str:
        """Return the chosen queue; if none is, the first one with a dead letter in it, or just the first."""
        chosen = self.cleaned_data.get("queue")
        return chosen or max(self._counts, key=lambda name: self._counts[name] > 0)

    def wanted(self, now: datetime) -> Wanted:
        """Return what fits; call `is_valid` before."""
        given = self.cleaned_data
        age = given.get("age")
        edge = now - AGES[age][1] if age else None
        return Wanted(
            actor=given.get("actor") or None,
            error=given.get("error") or None,
            since=edge if age != "older" else None,
            until=edge if age == "older" else None,
        )
